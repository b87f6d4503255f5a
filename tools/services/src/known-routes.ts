import type { KnownRoute } from './known-route';
import {
  JANUARY,
  intake,
  json,
  createSession,
  sessions,
  campaigns,
  link,
  links,
  ofConversation,
  ANY_NUMBER,
  digests,
  ofCampaign,
} from './route-requests';
import { contactCenter, survey, webchat } from './service-under-test';
import { NOON } from './tenants';

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
  ...['messages', 'events'].flatMap((history): KnownRoute[] => [
    {
      service: webchat,
      method: 'GET',
      path: `/external/conversations/{conversationId}/${history}`,
      success: 200,
      request: ({ conversationId }) => ({ path: `/external/conversations/${conversationId}/${history}` }),
      reachingOut: (_, { conversationId }) => [
        {
          what: 'its conversation',
          request: { path: `/external/conversations/${conversationId}/${history}` },
          status: 404,
          body: { message: 'Conversation not found', statusCode: 404 },
        },
      ],
    },
    {
      service: webchat,
      method: 'GET',
      path: `/internal/conversations/{conversationId}/${history}`,
      permission: '$conversation:write',
      success: 200,
      ...ofConversation((path) => ({ path: `${path}/${history}` })),
    },
  ]),
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
    // The answer does not say whether the organization has such a conversation.
    reachingOut: (_, { conversationId }) => [
      {
        what: 'its conversation',
        request: json(`/internal/conversations/${conversationId}/typing`, {
          senderType: 'agent',
          active: true,
        }),
        status: 204,
        body: undefined,
      },
    ],
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
    service: contactCenter,
    method: 'GET',
    path: '/external/conversation-session-changes',
    permission: '$export_conversation_session:list',
    accountSessions: true,
    success: 200,
    request: () => ({ path: '/external/conversation-session-changes' }),
    reachingOut: (_, other) => [
      {
        what: 'its organizationId',
        request: {
          path: `/external/conversation-session-changes?organizationId=${other.caller.organizationId}`,
        },
        status: 403,
        body: { detail: { message: 'organizationId does not match the authenticated organization' } },
      },
    ],
  },
  {
    service: contactCenter,
    method: 'GET',
    path: '/external/conversation-session-digests',
    permission: '$export_conversation_session:list',
    accountSessions: true,
    success: 200,
    request: () => ({ path: `/external/conversation-session-digests?${JANUARY}` }),
    reachingOut: (_, other) => [
      {
        what: 'its organizationId',
        request: {
          path: `/external/conversation-session-digests?${JANUARY}&organizationId=${other.caller.organizationId}`,
        },
        status: 403,
        body: { detail: { message: 'organizationId does not match the authenticated organization' } },
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
    method: 'GET',
    path: '/external/survey-response-changes',
    permission: '$survey_response:list',
    success: 200,
    request: () => ({ path: '/external/survey-response-changes' }),
    reachingOut: () => [
      {
        what: 'a cursor that it was not given',
        request: { path: '/external/survey-response-changes?cursor=bm90IG91cnM' },
        status: 422,
        body: {
          detail: [
            {
              loc: ['query', 'cursor'],
              msg: 'cursor must be empty, or a cursor that this endpoint gave to the organization',
              type: 'value_error',
            },
          ],
        },
      },
    ],
  },
  {
    service: survey,
    method: 'GET',
    path: '/external/survey-response-digests',
    permission: '$survey_response:list',
    success: 200,
    request: ({ campaignId }) => digests(campaignId),
    reachingOut: (_, { campaignId }) => [
      {
        what: 'its campaign',
        request: digests(campaignId),
        status: 200,
        body: { change: ANY_NUMBER, items: [] },
      },
    ],
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
  {
    service: survey,
    method: 'POST',
    path: '/external/survey-campaigns/{survey_campaign_id}/links/batch',
    permission: '$survey_link:create',
    success: 200,
    request: (tenant) => links(tenant.campaignId, tenant.metadataId),
    reachingOut: (own, other) => [
      {
        what: 'its campaign',
        request: links(other.campaignId, own.metadataId),
        status: 404,
        body: { detail: { message: 'not_found', params: { model: 'survey_campaign' } } },
      },
    ],
  },
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
