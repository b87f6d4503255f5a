import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type ConversationSession, CxpClient, NotFoundError } from '@cxp/client';

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
  /** Makes the report of the demo's last week. */
  readonly report?: () => Promise<string>;
  /** Conversations of the demo data whose figures are worth a look. */
  readonly examples?: readonly { readonly id: string; readonly title: string }[];
}

const TEXT = { type: 'string', minLength: 1, maxLength: 255 };
const AGENT_ACTS = {
  type: 'object',
  properties: { what: { enum: ['messages', 'read', 'typing', 'activities'] } },
};

/** What the chat page calls. */
export function addDemoRoutes(app: FastifyInstance, access: ApiAccess): void {
  const client = new CxpClient(access);

  // The part that every integrator writes: the page asks its own backend for a session, and never holds a token but the session's.
  // A shop knows its customer from a login; the sample believes the page.
  app.post<{ Body: { userId: string } }>(
    '/demo/session',
    { schema: { body: requiring('userId') } },
    ({ body: { userId: id } }) =>
      client.sessions.create({
        installedSourceId: access.installedSourceId,
        user: { id, name: 'Demo customer' },
      }),
  );
  app.post<{ Body: { sessionId: string } }>(
    '/demo/session/refresh',
    { schema: { body: requiring('sessionId') } },
    ({ body: { sessionId } }) => client.sessions.refresh(sessionId),
  );

  // The platform's inbox. No integrator needs this: what an agent does arrives over webchat-gateway's internal routes, which
  // the client does not have.
  app.post<{ Params: { conversationId: string; what: string } }>(
    '/demo/agent/:conversationId/:what',
    { schema: { params: AGENT_ACTS } },
    async ({ params, body }, reply) => {
      const { status, text } = await actAsAgent(access, params, body);
      return reply.code(status).type('application/json').send(text);
    },
  );

  // The receiver that the reference's sample of a webhook endpoint names.
  app.post('/demo/hints', (_, reply) => reply.code(204).send());

  const { report } = access;
  if (report)
    app.get('/demo/report', async (_, reply) =>
      reply
        .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .send(await report()),
    );
  app.get('/demo/examples', () => access.examples ?? []);
  app.get<{ Querystring: { text: string } }>(
    '/demo/find',
    { schema: { querystring: requiring('text') } },
    ({ query: { text } }) => findConversations(client, text),
  );
  app.get<{ Querystring: { conversationId: string } }>(
    '/demo/rows',
    { schema: { querystring: requiring('conversationId') } },
    ({ query: { conversationId } }, reply) => {
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      return reply
        .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
        .send(Readable.from(serverSentRows(client, conversationId, closed.signal)));
    },
  );
}

function requiring(name: string): object {
  return { type: 'object', required: [name], properties: { [name]: TEXT } };
}

async function actAsAgent(
  { urls, organizationId, token }: ApiAccess,
  { conversationId, what }: { readonly conversationId: string; readonly what: string },
  body: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const id = encodeURIComponent(conversationId);
  const answer = await fetch(`${urls.webchat}/internal/conversations/${id}/${what}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': 'token',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const FOUND_DAYS = 28;
const MAX_FOUND = 20;

/** The conversation of an id, or those of a customer in the last weeks, the newest first. */
async function findConversations(client: CxpClient, text: string) {
  const exists = await client.conversationSessions.ofConversation(text).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFoundError) return false;
      throw error;
    },
  );
  if (exists) return [{ id: text, title: text }];
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const found = new Map<string, string>();
  const window = { startDate: day(FOUND_DAYS), endDate: day(-1) };
  for await (const { conversationId: id, customerName } of client.conversationSessions.stream(window)) {
    if (customerName?.toLowerCase().includes(text.toLowerCase())) found.set(id, `${customerName}, ${id}`);
  }
  return Array.from(found, ([id, title]) => ({ id, title })).slice(0, MAX_FOUND);
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
    const reason = `The export has no row of ${conversationId}: no agent has taken the conversation yet.`;
    yield `data: ${JSON.stringify({ rows: [...rows.values()], explanation, reason })}\n\n`;
  }
}
