import { randomUUID } from 'node:crypto';
import type { Permission } from '@cxp/auth-headers';
import type { HttpRequest } from './http';
import {
  contactCenter,
  INTERNAL_WORDING,
  survey,
  webchat,
  type ServiceUnderTest,
} from './service-under-test';
import { endpointOf, endpointPath, NOON, type Tenant } from './tenants';

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
  /** A valid call about the tenant's own data, without the headers of a caller. */
  readonly request: (tenant: Tenant) => UnsignedRequest;
  /** Calls that reach for another organization's data, and their answers; without those that name it as `organizationId`. */
  readonly reachingOut: (own: Tenant, other: Tenant) => readonly ReachingOut[];
}

/** Without the headers of a caller. */
export interface UnsignedRequest {
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

interface ReachingOut {
  readonly what: string;
  readonly request: UnsignedRequest;
  readonly status: number;
  readonly body: unknown;
}

/** The headers of a request and everything else that makes it whole. */
export function signed(
  { method }: Pick<KnownRoute, 'method'>,
  { path, contentType, body }: UnsignedRequest,
  headers: Readonly<Record<string, string>>,
): HttpRequest {
  return { method, path, headers: { ...headers, ...(contentType && { 'content-type': contentType }) }, body };
}

/** A valid call about the tenant's own data. */
export function soundRequest(route: KnownRoute, tenant: Tenant): HttpRequest {
  return signed(route, route.request(tenant), headersOf(route, tenant));
}

/** The headers of a caller that is allowed to call it. */
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
}: KnownRoute): Pick<ServiceUnderTest, 'unauthorized' | 'permissionMissing' | 'unavailable'> {
  return path.startsWith('/internal') ? INTERNAL_WORDING : service;
}

export function routeName({ service, method, path }: KnownRoute): string {
  return `${service.name}: ${method} ${path}`;
}

const JANUARY = 'startDate=2026-01-01&endDate=2026-01-31';
const DAY = 'start_date=2026-01-05&end_date=2026-01-05';
const SESSIONS = `/external/conversation-sessions?${JANUARY}`;
const CHANGES = '/external/conversation-session-changes';
const DIGESTS = `/external/conversation-session-digests?${JANUARY}`;
const CAMPAIGN_LINKS = '/external/survey-campaigns/{survey_campaign_id}/links';

const CONVERSATION_NOT_FOUND = { detail: { message: 'not_found', params: { model: 'Conversation' } } };
const CAMPAIGN_NOT_FOUND = { detail: { message: 'not_found', params: { model: 'survey_campaign' } } };
const UNKNOWN_CAMPAIGN = {
  detail: [
    {
      loc: ['query', 'survey_campaign_id'],
      msg: 'survey_campaign_id must be a survey campaign of the organization',
      type: 'unknown_campaign',
    },
  ],
};

const NOBODYS_ENDPOINT = '00000000-0000-4000-8000-000000000000';

const withId = (id: string): unknown => expect.objectContaining({ id });

/** Equal to a certificate that has found nothing, for Jest. */
const NOTHING_FOUND = {
  asymmetricMatch: (certificate: { readonly found: Readonly<Record<string, number>> }) =>
    Object.values(certificate.found).every((count) => count === 0),
};

const EVENTS = '/external/conversations/{conversationId}/events';

export const KNOWN_ROUTES: readonly KnownRoute[] = [
  route(webchat, 'POST /external/sessions', '$webchat_session:create', {
    success: 201,
    request: (own) => createSession(own, own),
    reachingOut: (own, other) => [
      reach('its organizationId', createSession(other, own), 401, webchat.unauthorized),
      reach('its installed source', createSession(own, other), 422, {
        message: ['installedSourceId must be an active installed source of the organization'],
        error: 'Bad Request',
        statusCode: 400,
      }),
    ],
  }),
  route(
    webchat,
    'POST /external/sessions/refresh',
    '$webchat_session:refresh',
    about('its session', ({ sessionId }) => json('/external/sessions/refresh', { sessionId }), 404, {
      message: 'Session not found',
      statusCode: 404,
    }),
  ),
  route(
    webchat,
    `GET ${EVENTS}`,
    undefined,
    about('its conversation', (tenant) => ({ path: withIds(EVENTS, tenant) }), 404, {
      message: 'Conversation not found',
      statusCode: 404,
    }),
  ),
  ofPlatform('GET', 'events', (path) => ({ path })),
  ofPlatform('POST', 'messages', (path, { mark }) =>
    json(path, { id: `sent-${mark}`, senderType: 'agent', text: 'Hello' }),
  ),
  ofPlatform('POST', 'activities', (path, { mark }) => json(path, { id: `done-${mark}`, action: 'assign' })),
  // These answers do not say whether the organization has such a conversation.
  ...Object.entries({ typing: { senderType: 'agent', active: true }, read: { upTo: 1 } }).map(
    ([what, body]) => ofPlatform('POST', what, (path) => json(path, body), 204),
  ),
  ...erasures(webchat, () => ({ message: 'Erasure not found', statusCode: 404 })),
  exportRoute('GET /external/conversation-sessions', {
    request: ({ caller }) => ({ path: `${SESSIONS}&organizationId=${caller.organizationId}` }),
    reachingOut: (_, other) => [
      reach("its agent's email", { path: `${SESSIONS}&sessionAgentEmails=${other.mark}@example.com` }, 200, {
        items: [],
        total: 0,
        page: 1,
        perPage: 50,
        pages: 0,
      }),
    ],
  }),
  exportRoute('GET /external/conversation-sessions/{conversationId}', {
    request: ({ conversationId }) => ({ path: `/external/conversation-sessions/${conversationId}` }),
    reachingOut: (_, { conversationId }) => [
      reach('its conversation', { path: `/external/conversation-sessions/${conversationId}` }, 404, {
        detail: { message: `Conversation with id ${conversationId} was not found` },
      }),
    ],
  }),
  ...['GET', 'POST'].map((method) =>
    exportRoute(`${method} /external/conversation-sessions/{conversationId}/explanation`, {
      request: ({ conversationId }) => explanation(method, conversationId),
      reachingOut: (_, { conversationId }) => [
        reach('its conversation', explanation(method, conversationId), 404, {
          detail: { message: `Conversation with id ${conversationId} was not found` },
        }),
      ],
    }),
  ),
  exportRoute(`GET ${CHANGES}`, {
    request: () => ({ path: CHANGES }),
    reachingOut: () => [],
  }),
  exportRoute('GET /external/conversation-session-digests', {
    request: () => ({ path: DIGESTS }),
    reachingOut: () => [],
  }),
  ...erasures(contactCenter, (id) => ({ detail: { message: `Erasure with id ${id} was not found` } })),
  route(
    survey,
    'GET /external/survey-campaigns',
    '$survey_campaign:list',
    about(
      'its campaign',
      ({ campaignId }) => ({ path: `/external/survey-campaigns?survey_campaign_ids=${campaignId}` }),
      200,
      { items: [], total: 0, page: 1, per_page: 10, pages: 0 },
    ),
  ),
  ofCampaign('GET /external/survey-responses', '$survey_response:list', 422, UNKNOWN_CAMPAIGN),
  ofCampaign('POST /external/survey-responses/export', '$survey_response:export', 422, UNKNOWN_CAMPAIGN),
  route(survey, 'GET /external/survey-response-changes', '$survey_response:list', {
    request: () => ({ path: '/external/survey-response-changes' }),
    reachingOut: () => [
      reach(
        'a cursor that it was not given',
        { path: '/external/survey-response-changes?cursor=bm90IG91cnM' },
        422,
        {
          detail: [
            {
              loc: ['query', 'cursor'],
              msg: 'cursor must be empty, or a cursor that this endpoint gave to the organization',
              type: 'value_error',
            },
          ],
        },
      ),
    ],
  }),
  ofCampaign('GET /external/survey-response-digests', '$survey_response:list', 200, {
    // The last change of the caller's own organization.
    change: expect.any(Number) as number,
    cursor: expect.any(String) as string,
    items: [],
  }),
  route(survey, `POST ${CAMPAIGN_LINKS}`, '$survey_link:create', {
    request: (own) => json(withIds(CAMPAIGN_LINKS, own), link(own)),
    reachingOut: (own, other) => [
      reach('its campaign', json(withIds(CAMPAIGN_LINKS, other), link(own)), 404, CAMPAIGN_NOT_FOUND),
      reach('its metadata field', json(withIds(CAMPAIGN_LINKS, own), link(other)), 422, {
        detail: [
          {
            loc: ['body', 'metadata_mapping', 0, 'metadata_id'],
            msg: 'The organization has no metadata field with this id',
            type: 'unknown_metadata',
          },
        ],
      }),
    ],
  }),
  ...erasures(survey, () => ({ detail: { message: 'not_found', params: { model: 'Erasure' } } })),
  ...webhookEndpoints(contactCenter, (id) => ({
    detail: { message: `WebhookEndpoint with id ${id} was not found` },
  })),
  ...webhookEndpoints(survey, () => ({
    detail: { message: 'not_found', params: { model: 'WebhookEndpoint' } },
  })),
  intake(webchat, ({ installedSourceId, mark }) => ({
    type: 'installed_source',
    data: { id: installedSourceId, name: mark },
  })),
  intake(contactCenter, ({ conversationId, mark }) => ({
    type: 'message',
    data: { id: `a-${mark}`, conversationId, senderType: 'agent', sentAt: NOON },
  })),
  intake(survey, ({ responseId, campaignId }) => ({
    type: 'survey_response',
    data: { identifier: responseId, survey_campaign_id: campaignId, sent_timestamp: NOON },
  })),
];

type Calls = Pick<KnownRoute, 'request' | 'reachingOut'> & { readonly success?: number };

/** @param success default: 200 */
function route(
  service: ServiceUnderTest,
  name: string,
  permission: Permission | undefined,
  { success = 200, ...calls }: Calls,
): KnownRoute {
  const [method, path] = name.split(' ') as [string, string];
  return { service, method, path, permission, success, ...calls };
}

/** A call about the tenant's own data, and the same call about another one's, with its answer. */
function about(
  what: string,
  request: (tenant: Tenant) => UnsignedRequest,
  status: number,
  body: unknown,
): Calls {
  return { request, reachingOut: (_, other) => [reach(what, request(other), status, body)] };
}

/** A route of area B, which users with an account session may call, too. */
function exportRoute(name: string, calls: Calls): KnownRoute {
  return {
    ...route(contactCenter, name, '$export_conversation_session:list', calls),
    accountSessions: true,
  };
}

/** A route of the platform for one conversation. @param success of one that answers the same about any conversation */
function ofPlatform(
  method: string,
  part: string,
  request: (path: string, tenant: Tenant) => UnsignedRequest,
  success?: number,
): KnownRoute {
  const path = `/internal/conversations/{conversationId}/${part}`;
  const calls = about(
    'its conversation',
    (tenant) => request(withIds(path, tenant), tenant),
    success ?? 404,
    success ? undefined : CONVERSATION_NOT_FOUND,
  );
  return route(webchat, `${method} ${path}`, '$conversation:write', { ...calls, success });
}

/** The routes of erasures of an area. @param notFound the answer about another organization's erasure */
function erasures(service: ServiceUnderTest, notFound: (id: string) => object): KnownRoute[] {
  const path = '/external/erasures';
  const permission: Permission = '$personal_data:erase';
  const dryRun = ({ mark }: Tenant) =>
    json(path, { subject: { emails: [`${mark}@example.com`] }, dryRun: true });
  return [
    route(service, `POST ${path}`, permission, about('its customer', dryRun, 200, NOTHING_FOUND)),
    route(service, `GET ${path}/{id}`, permission, {
      request: ({ certificate }) => ({ path: `${path}/${certificate.id}` }),
      reachingOut: (_, { certificate: { id } }) => [
        reach('its certificate', { path: `${path}/${id}` }, 404, notFound(id)),
      ],
    }),
  ];
}

/** The routes of webhook endpoints of an area. An id of another organization's is an id of one's own. */
function webhookEndpoints(service: ServiceUnderTest, notFound: (id: string) => object): KnownRoute[] {
  const path = '/external/webhook-endpoints';
  const permission: Permission = '$webhook_endpoint:manage';
  const put = (of: Tenant, own: Tenant) => json(endpointPath(of), endpointOf(own));
  const ofEndpoint = (method: string, part: string, whose: (tenant: Tenant) => Tenant, success = 200) =>
    route(service, `${method} ${path}/{id}${part}`, permission, {
      success,
      request: (own) => ({ path: `${endpointPath(whose(own))}${part}` }),
      reachingOut: (_, other) => [
        reach('its endpoint', { path: `${endpointPath(other)}${part}` }, 404, notFound(other.endpointId)),
      ],
    });
  const itself = (tenant: Tenant) => tenant;
  const ofNobody = (tenant: Tenant) => ({ ...tenant, endpointId: NOBODYS_ENDPOINT });
  return [
    ofEndpoint('GET', '', itself),
    ofEndpoint('POST', '/secret', itself),
    ofEndpoint('POST', '/test', itself),
    // The same answer each time.
    ofEndpoint('DELETE', '', ofNobody, 404),
    route(service, `GET ${path}`, permission, {
      request: () => ({ path }),
      reachingOut: (own) => [reach('all endpoints', { path }, 200, { items: [withId(own.endpointId)] })],
    }),
    route(service, `PUT ${path}/{id}`, permission, {
      request: (own) => put(own, own),
      reachingOut: (own, other) => [reach('its id', put(other, own), 200, withId(other.endpointId))],
    }),
  ];
}

/** A route for a day of a campaign. */
function ofCampaign(name: string, permission: Permission, status: number, body: unknown): KnownRoute {
  const [, path] = name.split(' ');
  const request = ({ campaignId }: Tenant) => ({ path: `${path}?survey_campaign_id=${campaignId}&${DAY}` });
  return route(survey, name, permission, about('its campaign', request, status, body));
}

/** Records name no organization: a key of another organization is a key of one's own. */
function intake(service: ServiceUnderTest, recordAbout: (tenant: Tenant) => object): KnownRoute {
  const ndjson = (body: string) => ({
    path: '/internal/records',
    contentType: 'application/x-ndjson',
    body,
  });
  return route(service, 'POST /internal/records', '$platform_record:import', {
    request: (own) => ndjson(JSON.stringify(recordAbout(own))),
    reachingOut: (_, other) => {
      const record = JSON.stringify(recordAbout(other));
      return [reach(`its key in ${record}`, ndjson(`${record}\n`), 200, { accepted: 1 })];
    },
  });
}

function reach(what: string, request: UnsignedRequest, status: number, body: unknown): ReachingOut {
  return { what, request, status, body };
}

function json(path: string, body: object): UnsignedRequest {
  return { path, contentType: 'application/json', body: JSON.stringify(body) };
}

function createSession({ caller }: Tenant, { installedSourceId }: Tenant): UnsignedRequest {
  const { organizationId } = caller;
  return json('/external/sessions', { organizationId, installedSourceId, user: { id: randomUUID() } });
}

function link({ metadataId }: Tenant): object {
  return { name: 'matrix', metadata_mapping: [{ metadata_id: metadataId, value: 'matrix' }] };
}

function explanation(method: string, conversationId: string): UnsignedRequest {
  const path = `/external/conversation-sessions/${conversationId}/explanation`;
  return method === 'GET' ? { path } : json(path, { humanSchedule: { weekly: [] } });
}

/** A path with the tenant's ids in place of its parameters. */
function withIds(path: string, { conversationId, campaignId }: Tenant): string {
  return path.replace('{conversationId}', conversationId).replace('{survey_campaign_id}', campaignId);
}
