import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type ConversationSession, CxpClient } from '@cxp/client';
import type { ApiAccess } from './customer-routes';

/**
 * `GET /demo/rows`: the rows that the contact-center export has of a conversation, as server-sent events, at once and after
 * each change.
 */
export function addExportRoute(app: FastifyInstance, access: ApiAccess): void {
  const client = new CxpClient(access);
  app.get<{ Querystring: { conversationId: string } }>(
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
    if (isCurrent) yield `data: ${JSON.stringify([...rows.values()])}\n\n`;
  }
}
