import { randomUUID } from 'node:crypto';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import type { SurveyQuestion } from '../src/campaigns/survey-question';
import type { ResponseRecord } from '../src/responses/response-fields';

export function campaignRecord(parts: Partial<CampaignRecord> = {}): CampaignRecord {
  return {
    id: randomUUID(),
    name: 'Khảo sát khách hàng',
    status: 'active',
    language: null,
    last_interacted_at: null,
    touchpoints: [],
    survey_questions: [],
    ...parts,
  };
}

export function responseRecord(parts: Partial<ResponseRecord> = {}): ResponseRecord {
  return {
    identifier: randomUUID(),
    survey_campaign_id: randomUUID(),
    sent_timestamp: '2026-01-05T02:11:09.000Z',
    sending_failed_timestamp: null,
    opened_timestamp: null,
    answered_timestamp: null,
    earliest_microseconds: 0,
    latest_microseconds: 0,
    user_name: null,
    user_phone: null,
    user_email: null,
    source: null,
    transaction_id: null,
    tags: [],
    metadata_mappings: null,
    answers: null,
    ...parts,
  };
}

export function question(
  id: number,
  type: SurveyQuestion['type'],
  parts: Partial<SurveyQuestion> = {},
): SurveyQuestion {
  return {
    id,
    type,
    title: `Question ${id}`,
    metric_type: null,
    option_titles_by_id: null,
    row_titles_by_id: null,
    column_titles: null,
    ...parts,
  };
}
