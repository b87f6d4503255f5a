import { randomUUID } from 'node:crypto';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import type { ResponseRecord, StoredResponse } from '../src/responses/response-fields';

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

export function exportedResponse(parts: Partial<StoredResponse> = {}): StoredResponse {
  return {
    identifier: randomUUID(),
    sent_timestamp: null,
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
