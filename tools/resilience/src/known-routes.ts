import type { Permission } from '@cxp/access';
import type { HttpRequest } from './http';
import { contactCenter, INTERNAL_WORDING, survey, webchat, type ServiceUnderTest } from './services';
import type { Tenant } from './tenants';

/** An endpoint that is not public, and how to call it. */
export interface KnownRoute {
  readonly service: ServiceUnderTest;
  /** As the OpenAPI document writes it. */
  readonly method: string;
  readonly path: string;
  /** What an API token needs; none: customers call it with a session token. */
  readonly permission?: Permission;
  /** Whether users with an account session may call it too. */
  readonly accountSessions?: boolean;
  readonly success: number;
  /** A sound call about the tenant's own data; who calls is left to the caller. */
  readonly request: (tenant: Tenant) => UnsignedRequest;
  /** Calls that reach for another organization's data, and what is said to them. */
  readonly reachingOut: (own: Tenant, other: Tenant) => readonly ReachingOut[];
}

/** Without the headers that tell who calls. */
export interface UnsignedRequest {
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface ReachingOut {
  readonly what: string;
  readonly request: UnsignedRequest;
  readonly status: number;
  readonly body: unknown;
}

const DAY = 'start_date=2026-01-05&end_date=2026-01-05';
const CONVERSATION_NOT_FOUND = { detail: { message: 'not_found', params: { model: 'Conversation' } } };

const UNKNOWN_CAMPAIGN = {
  detail: [
    {
      loc: ['query', 'survey_campaign_id'],
      msg: 'survey_campaign_id must be a survey campaign of the organization',
      type: 'unknown_campaign',
    },
  ],
};

export const KNOWN_ROUTES: readonly KnownRoute[] = [
  {
    service: webchat,
    method: 'POST',
    path: '/external/sessions',
    permission: '$webchat_session:create',
    success: 201,
    request: (tenant) => createSession(tenant.caller.organizationId, tenant.installedSourceId),
    reachingOut: (own, other) => [
      {
        what: 'its organizationId',
        request: createSession(other.caller.organizationId, own.installedSourceId),
        status: 401,
        body: webchat.unauthorized,
      },
      {
        what: 'its installed source',
        request: createSession(own.caller.organizationId, other.installedSourceId),
        status: 422,
        body: {
          message: ['installedSourceId must be an active installed source of the organization'],
          error: 'Bad Request',
          statusCode: 400,
        },
      },
    ],
  },
  {
    service: webchat,
    method: 'POST',
    path: '/external/sessions/refresh',
    permission: '$webchat_session:refresh',
    success: 200,
    request: ({ sessionId }) => json('/external/sessions/refresh', { sessionId }),
    reachingOut: (_, { sessionId }) => [
      {
        what: 'its session',
        request: json('/external/sessions/refresh', { sessionId }),
        status: 404,
        body: { message: 'Session not found', statusCode: 404 },
      },
    ],
  },
  {
    service: webchat,
    method: 'GET',
    path: '/external/conversations/{conversationId}/messages',
    success: 200,
    request: ({ conversationId }) => ({ path: `/external/conversations/${conversationId}/messages` }),
    reachingOut: (_, { conversationId }) => [
      {
        what: 'its conversation',
        request: { path: `/external/conversations/${conversationId}/messages` },
        status: 404,
        body: { message: 'Conversation not found', statusCode: 404 },
      },
    ],
  },
  {
    service: webchat,
    method: 'GET',
    path: '/internal/conversations/{conversationId}/messages',
    permission: '$conversation:write',
    success: 200,
    ...ofConversation((path) => ({ path: `${path}/messages` })),
  },
  {
    service: webchat,
    method: 'POST',
    path: '/internal/conversations/{conversationId}/messages',
    permission: '$conversation:write',
    success: 200,
    ...ofConversation((path, mark) =>
      json(`${path}/messages`, { id: `sent-${mark}`, senderType: 'agent', text: 'Hello' }),
    ),
  },
  {
    service: webchat,
    method: 'POST',
    path: '/internal/conversations/{conversationId}/activities',
    permission: '$conversation:write',
    success: 200,
    ...ofConversation((path, mark) => json(`${path}/activities`, { id: `done-${mark}`, action: 'assign' })),
  },
  {
    service: webchat,
    method: 'POST',
    path: '/internal/conversations/{conversationId}/typing',
    permission: '$conversation:write',
    success: 204,
    request: ({ conversationId }) =>
      json(`/internal/conversations/${conversationId}/typing`, { senderType: 'agent', active: true }),
    // Nobody listens where the organization has no such conversation.
    reachingOut: () => [],
  },
  {
    service: webchat,
    method: 'POST',
    path: '/internal/conversations/{conversationId}/read',
    permission: '$conversation:write',
    success: 204,
    request: ({ conversationId }) => json(`/internal/conversations/${conversationId}/read`, { sequence: 1 }),
    reachingOut: (_, { conversationId }) => [
      {
        what: 'its conversation',
        request: json(`/internal/conversations/${conversationId}/read`, { sequence: 1 }),
        status: 204,
        body: undefined,
      },
    ],
  },
  {
    service: contactCenter,
    method: 'GET',
    path: '/external/conversation-sessions',
    permission: '$export_conversation_session:list',
    accountSessions: true,
    success: 200,
    request: ({ caller }) => sessions(`&organizationId=${caller.organizationId}`),
    reachingOut: (_, other) => [
      {
        what: 'its organizationId',
        request: sessions(`&organizationId=${other.caller.organizationId}`),
        status: 403,
        body: { detail: { message: 'organizationId does not match the authenticated organization' } },
      },
      {
        what: "its agent's email",
        request: sessions(`&sessionAgentEmails=${other.mark}@example.com`),
        status: 200,
        body: { items: [], total: 0, page: 1, perPage: 50, pages: 0 },
      },
    ],
  },
  {
    service: contactCenter,
    method: 'GET',
    path: '/external/conversation-sessions/{conversationId}',
    permission: '$export_conversation_session:list',
    accountSessions: true,
    success: 200,
    request: ({ conversationId }) => ({ path: `/external/conversation-sessions/${conversationId}` }),
    reachingOut: (_, { conversationId }) => [
      {
        what: 'its conversation',
        request: { path: `/external/conversation-sessions/${conversationId}` },
        status: 404,
        body: { detail: { message: `Conversation with id ${conversationId} was not found` } },
      },
    ],
  },
  {
    service: survey,
    method: 'GET',
    path: '/external/survey-campaigns',
    permission: '$survey_campaign:list',
    success: 200,
    request: ({ campaignId }) => campaigns(campaignId),
    reachingOut: (_, { campaignId }) => [
      {
        what: 'its campaign',
        request: campaigns(campaignId),
        status: 200,
        body: { items: [], total: 0, page: 1, per_page: 10, pages: 0 },
      },
    ],
  },
  {
    service: survey,
    method: 'GET',
    path: '/external/survey-responses',
    permission: '$survey_response:list',
    success: 200,
    ...ofCampaign('/external/survey-responses'),
  },
  {
    service: survey,
    method: 'POST',
    path: '/external/survey-responses/export',
    permission: '$survey_response:export',
    success: 200,
    ...ofCampaign('/external/survey-responses/export'),
  },
  {
    service: survey,
    method: 'POST',
    path: '/external/survey-campaigns/{survey_campaign_id}/links',
    permission: '$survey_link:create',
    success: 200,
    request: (tenant) => link(tenant.campaignId, tenant.metadataId),
    reachingOut: (own, other) => [
      {
        what: 'its campaign',
        request: link(other.campaignId, own.metadataId),
        status: 404,
        body: { detail: { message: 'not_found', params: { model: 'survey_campaign' } } },
      },
      {
        what: 'its metadata field',
        request: link(own.campaignId, other.metadataId),
        status: 422,
        body: {
          detail: [
            {
              loc: ['body', 'metadata_mapping', 0, 'metadata_id'],
              msg: 'The organization has no metadata field with this id',
              type: 'unknown_metadata',
            },
          ],
        },
      },
    ],
  },
  ...[webchat, contactCenter, survey].map((service): KnownRoute => ({
    service,
    method: 'POST',
    path: '/internal/records',
    permission: '$platform_record:import',
    success: 200,
    request: () => ({ path: '/internal/records', contentType: 'application/x-ndjson', body: '' }),
    // Records name no organization: they belong to whoever sends them.
    reachingOut: () => [],
  })),
];

/** The headers of a request and everything else that makes it whole. */
export function signed(
  { method }: Pick<KnownRoute, 'method'>,
  { path, contentType, body }: UnsignedRequest,
  headers: Readonly<Record<string, string>>,
): HttpRequest {
  return { method, path, headers: { ...headers, ...(contentType && { 'content-type': contentType }) }, body };
}

/** Who calls it when all is well. */
export function headersOf(
  { permission }: KnownRoute,
  { caller, sessionToken }: Tenant,
): Readonly<Record<string, string>> {
  return permission ? caller.headers : { authorization: `Bearer ${sessionToken}` };
}

/** How the route words what every route can answer. */
export function wordingOf({
  service,
  path,
}: KnownRoute): Pick<ServiceUnderTest, 'unauthorized' | 'permissionMissing'> {
  return path.startsWith('/internal') ? INTERNAL_WORDING : service;
}

export function routeName({ service, method, path }: KnownRoute): string {
  return `${service.name}: ${method} ${path}`;
}

function json(path: string, body: object): UnsignedRequest {
  return { path, contentType: 'application/json', body: JSON.stringify(body) };
}

function createSession(organizationId: string, installedSourceId: number): UnsignedRequest {
  return json('/external/sessions', { organizationId, installedSourceId, user: { id: 'matrix' } });
}

function sessions(filter: string): UnsignedRequest {
  const window = 'startDate=2026-01-01&endDate=2026-01-31';
  return { path: `/external/conversation-sessions?${window}${filter}` };
}

function campaigns(id: string): UnsignedRequest {
  return { path: `/external/survey-campaigns?survey_campaign_ids=${id}` };
}

function link(campaignId: string, metadataId: number): UnsignedRequest {
  return json(`/external/survey-campaigns/${campaignId}/links`, {
    name: 'matrix',
    metadata_mapping: [{ metadata_id: metadataId, value: 'matrix' }],
  });
}

function ofConversation(
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

function ofCampaign(path: string): Pick<KnownRoute, 'request' | 'reachingOut'> {
  const about = ({ campaignId }: Tenant) => ({ path: `${path}?survey_campaign_id=${campaignId}&${DAY}` });
  return {
    request: about,
    reachingOut: (_, other) => [
      { what: 'its campaign', request: about(other), status: 422, body: UNKNOWN_CAMPAIGN },
    ],
  };
}
