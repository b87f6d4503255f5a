import type { CampaignRecord } from '../campaigns/campaign.repository';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { OrganizationSettings } from '../links/organization-settings.repository';
import type { ResponseRecord } from '../responses/response.repository';

/** Data as it may be sent: what is optional may be left out. */
export type Sent<Data, Required extends keyof Data> = Pick<Data, Required> & {
  readonly [Key in keyof Data]?: Data[Key] | null;
};

export type SentQuestion = Sent<SurveyQuestion, 'id' | 'type' | 'title'>;
export type SentCampaign = Omit<Sent<CampaignRecord, 'id' | 'name' | 'status'>, 'survey_questions'> & {
  readonly survey_questions?: readonly SentQuestion[] | null;
};
export type SentResponse = Sent<ResponseRecord, 'identifier' | 'survey_campaign_id'>;
export type SentSettings = Partial<OrganizationSettings>;

/** A campaign's record in the one form that is stored: uuids in lower case, times in UTC, nothing left out. */
export function completeCampaign(sent: SentCampaign): CampaignRecord {
  return {
    id: sent.id.toLowerCase(),
    name: sent.name,
    status: sent.status,
    last_interacted_at: utc(sent.last_interacted_at),
    touchpoints: sent.touchpoints ?? [],
    survey_questions: (sent.survey_questions ?? []).map(completeQuestion),
  };
}

function completeQuestion(sent: SentQuestion): SurveyQuestion {
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
export function completeResponse(sent: SentResponse): ResponseRecord {
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
