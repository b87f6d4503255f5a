import { createSecretKey, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import jwt from 'jsonwebtoken';
import { WebSocketServer, type WebSocket } from 'ws';
import { APPEND } from '@cxp/webchat-gateway/conversations/chat-log.repository';
import { NEXT_STATES } from '@cxp/webchat-gateway/conversations/chat-rules';
import { FIND_OR_CREATE_CONVERSATION } from '@cxp/webchat-gateway/conversations/conversation.repository';
import { ACTIVE_SOURCE } from '@cxp/webchat-gateway/installed-sources/installed-source.repository';
import {
  CLAIM_SESSION,
  REFRESH_SESSION,
  SET_CONVERSATION,
} from '@cxp/webchat-gateway/sessions/session.repository';
import { bareApp, bareQuery, limiter, redis, WINDOWS } from './bare-api';

/**
 * What webchat-gateway is measured against: one Fastify handler per endpoint with the same Redis and PostgreSQL calls and the same
 * token, and a ws server that stores a message by the same statement and sends it back; no validation, no framework, no limits.
 */
const secret = createSecretKey(process.env.WEBCHAT_SESSION_TOKEN_KEYS!.split(':')[1]!, 'utf8');
const LIFETIME = 3_600;
const NEXT = NEXT_STATES.customerWrites;

const app = bareApp('WEBCHAT_PORT');

app.post<{ Body: { installedSourceId: number; user: { id: string } } }>(
  '/external/sessions',
  async (request, reply) => {
    const organizationId = request.headers['organization-id'] as string;
    await limiter.hit(`organization:${organizationId}:create`, WINDOWS);
    await bareQuery('source', ACTIVE_SOURCE.text, [organizationId, request.body.installedSourceId]);
    const user = request.body.user;
    const { sessionId, userId, expiresAt, ...claimed } = await CLAIM_SESSION.run(redis, organizationId, {
      ...{ sessionId: randomUUID(), userId: user.id, identifiers: [`user:${user.id}`] },
      ...{ isStrict: false, lifetimeSeconds: LIFETIME },
    });
    let { conversationId } = claimed;
    if (!conversationId) {
      const [conversation] = await bareQuery<{ id: string }>(
        'conversation',
        FIND_OR_CREATE_CONVERSATION.text,
        [organizationId, userId, null, null, null, [], false],
      );
      conversationId = conversation!.id;
      await SET_CONVERSATION.run(redis, organizationId, { sessionId, conversationId, identifiers: [] });
    }
    return reply.status(201).send({
      userId,
      sessionId,
      sessionToken: sign(organizationId, sessionId, userId, conversationId, expiresAt),
      sessionTokenExpiration: expiresAt,
      websocketUrl: `wss://bench/${sessionId}`,
      conversationId,
    });
  },
);

app.post<{ Body: { sessionId: string } }>('/external/sessions/refresh', async (request, reply) => {
  const organizationId = request.headers['organization-id'] as string;
  await limiter.hit(`organization:${organizationId}:refresh`, WINDOWS);
  const { sessionId } = request.body;
  const given = { sessionId, lifetimeSeconds: LIFETIME };
  const refreshed = await REFRESH_SESSION.run(redis, organizationId, given);
  if (!refreshed) return reply.status(404).send();
  const { userId, conversationId, expiresAt } = refreshed;
  return {
    sessionToken: sign(organizationId, sessionId, userId, conversationId, expiresAt),
    sessionTokenExpiration: expiresAt,
  };
});

const sockets = new WebSocketServer({ server: app.server, perMessageDeflate: false });

sockets.on('connection', (socket: WebSocket, { url }: IncomingMessage) => {
  const { searchParams } = new URL(url!, 'ws://bench');
  const [organizationId, conversationId] = [
    searchParams.get('organization'),
    searchParams.get('conversation'),
  ];
  socket.on('message', (data: Buffer) => void store(socket, organizationId, conversationId, data));
});

async function store(
  socket: WebSocket,
  organizationId: string | null,
  conversationId: string | null,
  data: Buffer,
): Promise<void> {
  const { clientId, text } = JSON.parse(data.toString()) as { clientId: string; text: string };
  const payload = { senderType: 'customer', senderName: null, text };
  const event = { conversationId, type: 'message', id: randomUUID(), clientId, payload, next: NEXT };
  const values = [organizationId, JSON.stringify([event]), false, false];
  const [row] = await bareQuery<object>('append', APPEND.text, values);
  const message = { ...row, clientId, ...payload };
  socket.send(JSON.stringify({ type: 'message', message }));
}

function sign(organizationId: string, sid: string, sub: string, conversationId: string, exp: number): string {
  const claims = { sub, sid, conversation_id: conversationId, organization_id: organizationId, exp };
  return jwt.sign(claims, secret, { keyid: 'bench', algorithm: 'HS256' });
}
