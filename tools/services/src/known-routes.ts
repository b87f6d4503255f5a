import type { Permission } from '@cxp/access';
import type { KnownRoute, ReachingOut, UnsignedRequest } from './known-route';
import {
  ANY_NUMBER,
  campaigns,
  createSession,
  digests,
  intake,
  JANUARY,
  json,
  link,
  links,
  ofCampaign,
  ofConversation,
  sessions,
} from './route-requests';
import { contactCenter, survey, webchat, type ServiceUnderTest } from './service-under-test';
import { NOON } from './tenants';

const OTHER_ORGANIZATION = {
  detail: { message: 'organizationId does not match the authenticated organization' },
};
const UNKNOWN_CAMPAIGN = { detail: { message: 'not_found', params: { model: 'survey_campaign' } } };
const CHANGES = '/external/conversation-session-changes';
const DIGESTS = `/external/conversation-session-digests?${JANUARY}`;
const CAMPAIGN_LINKS = '/external/survey-campaigns/{survey_campaign_id}/links';

export const KNOWN_ROUTES: readonly KnownRoute[] = [
  route(webchat, 'POST /external/sessions', '$webchat_session:create', {
    success: 201,
    request: (tenant) => createSession(tenant.caller.organizationId, tenant.installedSourceId),
    reachingOut: (own, other) => [
      reach(
        'its organizationId',
        createSession(other.caller.organizationId, own.installedSourceId),
        401,
        webchat.unauthorized,
      ),
      reach('its installed source', createSession(own.caller.organizationId, other.installedSourceId), 422, {
        message: ['installedSourceId must be an active installed source of the organization'],
        error: 'Bad Request',
        statusCode: 400,
      }),
    ],
  }),
  route(webchat, 'POST /external/sessions/refresh', '$webchat_session:refresh', {
    request: ({ sessionId }) => json('/external/sessions/refresh', { sessionId }),
    reachingOut: (_, { sessionId }) => [
      reach('its session', json('/external/sessions/refresh', { sessionId }), 404, {
        message: 'Session not found',
        statusCode: 404,
      }),
    ],
  }),
  ...['messages', 'events'].flatMap((history) => {
    const ofCustomer = (id: string) => ({ path: `/external/conversations/${id}/${history}` });
    const notFound = { message: 'Conversation not found', statusCode: 404 };
    return [
      route(webchat, `GET /external/conversations/{conversationId}/${history}`, undefined, {
        request: ({ conversationId }) => ofCustomer(conversationId),
        reachingOut: (_, { conversationId }) => [
          reach('its conversation', ofCustomer(conversationId), 404, notFound),
        ],
      }),
      route(
        webchat,
        `GET /internal/conversations/{conversationId}/${history}`,
        '$conversation:write',
        ofConversation((path) => ({ path: `${path}/${history}` })),
      ),
    ];
  }),
  route(
    webchat,
    'POST /internal/conversations/{conversationId}/messages',
    '$conversation:write',
    ofConversation((path, mark) =>
      json(`${path}/messages`, { id: `sent-${mark}`, senderType: 'agent', text: 'Hello' }),
    ),
  ),
  route(
    webchat,
    'POST /internal/conversations/{conversationId}/activities',
    '$conversation:write',
    ofConversation((path, mark) => json(`${path}/activities`, { id: `done-${mark}`, action: 'assign' })),
  ),
  // These answers do not say whether the organization has such a conversation.
  ...Object.entries({ typing: { senderType: 'agent', active: true }, read: { sequence: 1 } }).map(
    ([what, body]) => {
      const about = (id: string) => json(`/internal/conversations/${id}/${what}`, body);
      return route(webchat, `POST /internal/conversations/{conversationId}/${what}`, '$conversation:write', {
        success: 204,
        request: ({ conversationId }) => about(conversationId),
        reachingOut: (_, { conversationId }) => [
          reach('its conversation', about(conversationId), 204, undefined),
        ],
      });
    },
  ),
  exportRoute('GET /external/conversation-sessions', {
    request: ({ caller }) => sessions(`&organizationId=${caller.organizationId}`),
    reachingOut: (_, other) => [
      reach(
        'its organizationId',
        sessions(`&organizationId=${other.caller.organizationId}`),
        403,
        OTHER_ORGANIZATION,
      ),
      reach("its agent's email", sessions(`&sessionAgentEmails=${other.mark}@example.com`), 200, {
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
  exportRoute(`GET ${CHANGES}`, {
    request: () => ({ path: CHANGES }),
    reachingOut: (_, { caller: { organizationId } }) => [
      reach(
        'its organizationId',
        { path: `${CHANGES}?organizationId=${organizationId}` },
        403,
        OTHER_ORGANIZATION,
      ),
    ],
  }),
  exportRoute('GET /external/conversation-session-digests', {
    request: () => ({ path: DIGESTS }),
    reachingOut: (_, { caller: { organizationId } }) => [
      reach(
        'its organizationId',
        { path: `${DIGESTS}&organizationId=${organizationId}` },
        403,
        OTHER_ORGANIZATION,
      ),
    ],
  }),
  route(survey, 'GET /external/survey-campaigns', '$survey_campaign:list', {
    request: ({ campaignId }) => campaigns(campaignId),
    reachingOut: (_, { campaignId }) => [
      reach('its campaign', campaigns(campaignId), 200, {
        items: [],
        total: 0,
        page: 1,
        per_page: 10,
        pages: 0,
      }),
    ],
  }),
  route(
    survey,
    'GET /external/survey-responses',
    '$survey_response:list',
    ofCampaign('/external/survey-responses'),
  ),
  route(
    survey,
    'POST /external/survey-responses/export',
    '$survey_response:export',
    ofCampaign('/external/survey-responses/export'),
  ),
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
  route(survey, 'GET /external/survey-response-digests', '$survey_response:list', {
    request: ({ campaignId }) => digests(campaignId),
    reachingOut: (_, { campaignId }) => [
      reach('its campaign', digests(campaignId), 200, { change: ANY_NUMBER, items: [] }),
    ],
  }),
  route(survey, `POST ${CAMPAIGN_LINKS}`, '$survey_link:create', {
    request: (tenant) => link(tenant.campaignId, tenant.metadataId),
    reachingOut: (own, other) => [
      reach('its campaign', link(other.campaignId, own.metadataId), 404, UNKNOWN_CAMPAIGN),
      reach('its metadata field', link(own.campaignId, other.metadataId), 422, {
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
  route(survey, `POST ${CAMPAIGN_LINKS}/batch`, '$survey_link:create', {
    request: (tenant) => links(tenant.campaignId, tenant.metadataId),
    reachingOut: (own, other) => [
      reach('its campaign', links(other.campaignId, own.metadataId), 404, UNKNOWN_CAMPAIGN),
    ],
  }),
  intake(webchat, ({ installedSourceId }) => [
    { type: 'installed_source', data: { id: installedSourceId, name: 'matrix', active: false } },
  ]),
  intake(contactCenter, ({ conversationId, mark }) => [
    { type: 'message', data: { id: `a-${mark}`, conversationId, senderType: 'agent', sentAt: NOON } },
  ]),
  intake(survey, ({ responseId, campaignId }) => [
    {
      type: 'survey_response',
      data: { identifier: responseId, survey_campaign_id: campaignId, sent_timestamp: NOON },
    },
  ]),
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

/** A route of area B, which users with an account session may call, too. */
function exportRoute(name: string, calls: Calls): KnownRoute {
  return {
    ...route(contactCenter, name, '$export_conversation_session:list', calls),
    accountSessions: true,
  };
}

function reach(what: string, request: UnsignedRequest, status: number, body: unknown): ReachingOut {
  return { what, request, status, body };
}
