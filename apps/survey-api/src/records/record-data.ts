import type { SurveyCampaignData, SurveyQuestionData, SurveyResponseData } from '@cxp/platform-records';
import type { CampaignRecord } from '../campaigns/campaign.repository';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { ResponseRecord } from '../responses/response.repository';

/** A campaign's record in the one form that is stored: uuids in lower case, times in UTC, nothing left out. */
export function completeCampaign(sent: SurveyCampaignData): CampaignRecord {
  return {
    id: sent.id.toLowerCase(),
    name: sent.name,
    status: sent.status,
    last_interacted_at: utc(sent.last_interacted_at),
    touchpoints: sent.touchpoints ?? [],
    survey_questions: (sent.survey_questions ?? []).map(completeQuestion),
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

/** A response's record in the one form that is stored. */
export function completeResponse(sent: SurveyResponseData): ResponseRecord {
  return {
    identifier: sent.identifier.toLowerCase(),
    survey_campaign_id: sent.survey_campaign_id.toLowerCase(),
    sent_timestamp: utc(sent.sent_timestamp),
    sending_failed_timestamp: utc(sent.sending_failed_timestamp),
    opened_timestamp: utc(sent.opened_timestamp),
    answered_timestamp: utc(sent.answered_timestamp),
    user_name: sent.user_name ?? null,
    user_phone: sent.user_phone ?? null,
    user_email: sent.user_email ?? null,
    source: sent.source ?? null,
    transaction_id: sent.transaction_id ?? null,
    tags: sent.tags ?? [],
    metadata_mappings: sent.metadata_mappings ?? null,
    answers: sent.answers ?? null,
  };
}

function utc(instant: string | null | undefined): string | null {
  return typeof instant === 'string' ? new Date(instant).toISOString() : null;
}
