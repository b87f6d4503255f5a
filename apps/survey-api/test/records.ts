import { randomUUID } from 'node:crypto';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import type { ResponseRecord } from '../src/responses/response.repository';
import type { SurveyResponse } from '../src/responses/survey-response';

export function campaignRecord(parts: Partial<CampaignRecord> = {}): CampaignRecord {
  return {
    id: randomUUID(),
    name: 'Khảo sát khách hàng',
    status: 'active',
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

export function surveyResponse(parts: Partial<SurveyResponse> = {}): SurveyResponse {
  return {
    identifier: randomUUID(),
    sentAt: null,
    sendingFailedAt: null,
    openedAt: null,
    answeredAt: null,
    userName: null,
    userPhone: null,
    userEmail: null,
    source: null,
    transactionId: null,
    tags: [],
    metadataMappings: null,
    answers: null,
    ...parts,
  };
}
