import type { KnownRoute, UnsignedRequest } from './known-route';
import type { ServiceUnderTest } from './service-under-test';
import type { Tenant } from './tenants';

export const JANUARY = 'startDate=2026-01-01&endDate=2026-01-31';
export const DAY = 'start_date=2026-01-05&end_date=2026-01-05';
export const CONVERSATION_NOT_FOUND = { detail: { message: 'not_found', params: { model: 'Conversation' } } };

export const UNKNOWN_CAMPAIGN = {
  detail: [
    {
      loc: ['query', 'survey_campaign_id'],
      msg: 'survey_campaign_id must be a survey campaign of the organization',
      type: 'unknown_campaign',
    },
  ],
};

/** Records name no organization: a key of another organization is a key of one's own. */
export function intake(
  service: ServiceUnderTest,
  recordsAbout: (other: Tenant) => readonly object[],
): KnownRoute {
  const ndjson = (records: readonly object[]) => ({
    path: '/internal/records',
    contentType: 'application/x-ndjson',
    body: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  });
  return {
    service,
    method: 'POST',
    path: '/internal/records',
    permission: '$platform_record:import',
    success: 200,
    request: () => ndjson([]),
    reachingOut: (_, other) =>
      recordsAbout(other).map((record) => ({
        what: `its key in ${JSON.stringify(record)}`,
        request: ndjson([record]),
        status: 200,
        body: { accepted: 1 },
      })),
  };
}

export function json(path: string, body: object): UnsignedRequest {
  return { path, contentType: 'application/json', body: JSON.stringify(body) };
}

export function createSession(organizationId: string, installedSourceId: number): UnsignedRequest {
  return json('/external/sessions', { organizationId, installedSourceId, user: { id: 'matrix' } });
}

export function sessions(filter: string): UnsignedRequest {
  return { path: `/external/conversation-sessions?${JANUARY}${filter}` };
}

export function campaigns(id: string): UnsignedRequest {
  return { path: `/external/survey-campaigns?survey_campaign_ids=${id}` };
}

export function link(campaignId: string, metadataId: number): UnsignedRequest {
  return json(`/external/survey-campaigns/${campaignId}/links`, {
    name: 'matrix',
    metadata_mapping: [{ metadata_id: metadataId, value: 'matrix' }],
  });
}

export function links(campaignId: string, metadataId: number): UnsignedRequest {
  const metadata_mapping = [{ metadata_id: metadataId, value: 'matrix' }];
  return json(`/external/survey-campaigns/${campaignId}/links/batch`, {
    items: [{ name: 'matrix', metadata_mapping }],
  });
}

export function ofConversation(
  request: (path: string, mark: string) => UnsignedRequest,
): Pick<KnownRoute, 'request' | 'reachingOut'> {
  const about = ({ conversationId, mark }: Tenant) =>
    request(`/internal/conversations/${conversationId}`, mark);
  return {
    request: about,
    reachingOut: (_, other) => [
      { what: 'its conversation', request: about(other), status: 404, body: CONVERSATION_NOT_FOUND },
    ],
  };
}

/** Equal to any number, for Jest: the last change of the caller's own organization. */
export const ANY_NUMBER = { asymmetricMatch: (value: unknown) => typeof value === 'number' };

export function digests(campaignId: string): UnsignedRequest {
  return { path: `/external/survey-response-digests?survey_campaign_id=${campaignId}&${DAY}` };
}

export function ofCampaign(path: string): Pick<KnownRoute, 'request' | 'reachingOut'> {
  const about = ({ campaignId }: Tenant) => ({ path: `${path}?survey_campaign_id=${campaignId}&${DAY}` });
  return {
    request: about,
    reachingOut: (_, other) => [
      { what: 'its campaign', request: about(other), status: 422, body: UNKNOWN_CAMPAIGN },
    ],
  };
}
