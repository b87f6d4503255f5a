import { type SurveyCampaignData, type SurveyQuestionData, utcTime } from '@cxp/records';
import type { SurveyQuestion } from './survey-question';

export type CampaignRecord = ReturnType<typeof completeCampaign>;

/** The stored form: uuids in lower case, times in UTC, every field present. */
export function completeCampaign(sent: SurveyCampaignData) {
  return {
    id: sent.id.toLowerCase(),
    name: sent.name,
    status: sent.status,
    last_interacted_at: sent.last_interacted_at ? utcTime(sent.last_interacted_at) : null,
    touchpoints: sent.touchpoints ?? [],
    survey_questions: (sent.survey_questions ?? []).map(completeQuestion) as readonly SurveyQuestion[],
  };
}

function completeQuestion(sent: SurveyQuestionData): SurveyQuestion {
  return {
    id: sent.id,
    type: sent.type,
    metric_type: sent.metric_type ?? null,
    title: sent.title,
    option_titles_by_id: sent.option_titles_by_id ?? null,
    row_titles_by_id: sent.row_titles_by_id ?? null,
    column_titles: sent.column_titles ?? null,
  };
}
