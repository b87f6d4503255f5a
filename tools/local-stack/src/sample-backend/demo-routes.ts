import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type ConversationSession, CxpClient } from '@cxp/client';
import type { GatewayProxy } from './gateway-proxy';

/** What the sample backend needs to call the API for its organization. */
export interface ApiAccess {
  readonly urls: {
    readonly webchat: string;
    readonly contactCenter: string;
  };
  readonly organizationId: string;
  readonly token: string;
  /** The channel that sessions are created in. */
  readonly installedSourceId: number;
}

/** The agent who answers in the demo. */
const AGENT = { accountId: 1, name: 'Ann', email: 'ann@example.com' };
const SENDER = { senderType: 'agent', senderName: AGENT.name };

const TEXT = { type: 'string', minLength: 1, maxLength: 255 };
const CONVERSATION = { conversationId: { type: 'string', format: 'uuid' } };
const ACTION = { enum: ['assign', 'route_to_rating', 'end_conversation'] };

/** What the chat page calls. */
export function addDemoRoutes(app: FastifyInstance, access: ApiAccess, proxy: GatewayProxy): void {
  const client = new CxpClient(access);
  /** A route that takes exactly these properties. Without a result it answers 204. */
  const post = <Body>(
    path: string,
    properties: Readonly<Record<keyof Body, object>>,
    handle: (body: Body) => Promise<unknown>,
  ) => {
    const body = { type: 'object', required: Object.keys(properties), properties };
    app.post<{ Body: Body }>(`/demo/${path}`, { schema: { body } }, async (request, reply) => {
      const result = await handle(request.body as Body);
      return result === undefined ? reply.code(204).send() : result;
    });
  };

  // The part that every integrator writes: the page asks its own backend for a session, and never holds a token but the session's.
  // A shop knows its customer from a login; the sample believes the page.
  post<{ userId: string }>('session', { userId: TEXT }, ({ userId: id }) =>
    client.sessions.create({
      installedSourceId: access.installedSourceId,
      user: { id, name: 'Demo customer' },
    }),
  );
  post<{ sessionId: string }>('session/refresh', { sessionId: TEXT }, ({ sessionId }) =>
    client.sessions.refresh(sessionId),
  );

  // The platform's inbox. No integrator needs this: what an agent does arrives over webchat-gateway's internal routes, which
  // the client does not have.
  post<OfConversation & { text: string }>(
    'agent/message',
    { ...CONVERSATION, text: { type: 'string', minLength: 1 } },
    async ({ conversationId, text }) => {
      const stored = await act(access, conversationId, 'messages', { id: randomUUID(), ...SENDER, text });
      const { event: upTo } = (await stored.json()) as { event: number };
      await act(access, conversationId, 'read', { upTo });
    },
  );
  post<OfConversation & { active: boolean }>(
    'agent/typing',
    { ...CONVERSATION, active: { type: 'boolean' } },
    async ({ conversationId, active }) =>
      void (await act(access, conversationId, 'typing', { ...SENDER, active })),
  );
  post<OfConversation & { action: string }>(
    'agent/activity',
    { ...CONVERSATION, action: ACTION },
    async ({ conversationId, action }) =>
      void (await act(access, conversationId, 'activities', { id: randomUUID(), action, agent: AGENT })),
  );

  // Takes the network from the sockets of a session, and gives it back.
  post<{ sessionId: string; connected: boolean }>(
    'network',
    { sessionId: TEXT, connected: { type: 'boolean' } },
    async ({ sessionId, connected }) => (connected ? proxy.plug(sessionId) : proxy.unplug(sessionId)),
  );

  app.get<{ Querystring: OfConversation }>(
    '/demo/rows',
    { schema: { querystring: { type: 'object', required: ['conversationId'] } } },
    ({ query: { conversationId } }, reply) => {
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      return reply
        .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
        .send(Readable.from(serverSentRows(client, conversationId, closed.signal)));
    },
  );
}

interface OfConversation {
  readonly conversationId: string;
}

async function act(
  { urls, organizationId, token }: ApiAccess,
  conversationId: string,
  what: string,
  body: object,
): Promise<Response> {
  const response = await fetch(`${urls.webchat}/internal/conversations/${conversationId}/${what}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': 'token',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${what}: ${response.status}`);
  return response;
}

/** The rows that the contact-center export has of a conversation and their explanation: at once, and after each change. */
async function* serverSentRows(client: CxpClient, conversationId: string, signal: AbortSignal) {
  const rows = new Map<string, ConversationSession>();
  for await (const { items, startsOver, isCurrent } of client.conversationSessions.changes({ signal })) {
    if (startsOver) rows.clear();
    for (const item of items) {
      if (item.key.conversationId !== conversationId) continue;
      const key = JSON.stringify(item.key);
      if (item.op === 'upsert') rows.set(key, item.row);
      else rows.delete(key);
    }
    if (!isCurrent) continue;
    const explanation = rows.size > 0 ? await client.conversationSessions.explanation(conversationId) : null;
    yield `data: ${JSON.stringify({ rows: [...rows.values()], explanation })}\n\n`;
  }
}
