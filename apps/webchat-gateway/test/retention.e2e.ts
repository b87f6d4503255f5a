import { expiryOf, RetentionJob } from '@cxp/records';
import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { expiredConversations } from '../src/erasure/webchat-eraser';
import { agentMessage, connect, openSession, postToConversation } from './conversation-service';
import { areaB, useAreaB } from './area-b';
import {
  caller,
  refreshSession,
  service,
  SESSION_NOT_FOUND,
  useWebchat,
  whileLocked,
} from './webchat-service';

useAreaB((environment) => useWebchat(() => ({ WEBCHAT_CONVERSATIONS_KEPT_DAYS: '30', ...environment() })));

const removeExpired = () => service.app.get(RetentionJob).removeExpired();

/** A conversation that was created and changed so many days ago. */
async function conversation(id: string, { created, changed }: { created: number; changed: number }) {
  const session = await openSession(service, caller, { id });
  const body = agentMessage(`message of ${id}`);
  await postToConversation(service, caller, session.conversationId, 'messages', body).expect(200);
  await service.dataSource.query(
    `UPDATE webchat.conversation SET created_at = now() - $2 * interval '1 day', updated_at = now() - $3 * interval '1 day'
     WHERE id = $1`,
    [session.conversationId, created, changed],
  );
  return session;
}

async function users(): Promise<string[]> {
  const found = await service.dataSource.query(
    'SELECT user_id AS id FROM webchat.conversation WHERE organization_id = $1 ORDER BY user_id',
    [caller.organizationId],
  );
  return found.map(({ id }: { id: string }) => id);
}

async function count(table: string): Promise<number> {
  const [found] = await service.dataSource.query(
    `SELECT count(*)::int AS count FROM webchat.${table} WHERE organization_id = $1`,
    [caller.organizationId],
  );
  return found.count;
}

it('removes conversations that have not changed for so many days, and no others', async () => {
  await conversation('expired', { created: 90, changed: 31 });
  await conversation('old', { created: 90, changed: 29 });
  await conversation('new', { created: 1, changed: 0 });
  await removeExpired();
  expect(await users()).toEqual(['new', 'old']);
  expect(await count('event')).toBe(2);
});

it('ends the session of an expired conversation, and sends nothing to area B', async () => {
  const session = await conversation('u', { created: 90, changed: 40 });
  const client = await connect(service, session);
  const before = await areaB.recordsOf(service, caller);
  await removeExpired();
  expect((await client.closed)[0]).toBe(4404);
  await refreshSession(service, caller, session.sessionId).expect(404, SESSION_NOT_FOUND);
  expect(await areaB.recordsOf(service, caller)).toEqual(before);
  expect((await openSession(service, caller, { id: 'u' })).conversationId).not.toBe(session.conversationId);
});

it('keeps a conversation that has changed since it was found', async () => {
  const session = await conversation('u', { created: 90, changed: 40 });
  const client = await connect(service, session);
  const { conversationId } = session;
  const expired = await conversation('expired', { created: 90, changed: 40 });
  const other = await connect(service, expired);
  const { dataSource, redis } = service;
  const data = expiredConversations(dataSource, redis);
  const before = expiryOf(30);
  await dataSource.query('UPDATE webchat.conversation SET updated_at = now() WHERE id = $1', [
    conversationId,
  ]);
  const { organizationId } = caller;
  await data.remove({ organizationId, ids: [conversationId, expired.conversationId] }, before);
  expect(await users()).toEqual(['u']);
  // Sockets are notified in the order of the identifiers.
  expect((await other.closed)[0]).toBe(4404);
  client.sendMessage('c-1', 'Still here');
  await client.next('message.accepted');
  await client.close();
});

it('lets a conversation whose removal failed have sessions again before long', async () => {
  const { conversationId } = await conversation('u', { created: 90, changed: 40 });
  const { dataSource, redis } = service;
  const { organizationId } = caller;
  const remove = () =>
    expiredConversations(dataSource, redis).remove({ organizationId, ids: [conversationId] }, expiryOf(30));
  const secondsOfMark = () => redis.ttl(`webchat:{${organizationId}}:ended:${conversationId}`);
  await whileLocked(service, 'LOCK TABLE webchat.event', [], () =>
    expect(remove()).rejects.toThrow('lock timeout'),
  );
  expect(await users()).toEqual(['u']);
  expect(await secondsOfMark()).toBeLessThanOrEqual(60);
  await remove();
  expect(await users()).toEqual([]);
});

it('removes all of a conversation that changes while it is being removed', async () => {
  const { conversationId } = await conversation('u', { created: 90, changed: 40 });
  const { dataSource, redis } = service;
  await dataSource.query(
    `INSERT INTO webchat.event (organization_id, conversation_id, event, type, id, stored_at, payload)
     SELECT $1, $2, n, 'message', 'm' || n, now(),
       json_build_object('senderType', 'agent', 'senderName', NULL::text, 'text', 'Hello', 'status', 'open', 'agent', NULL)
     FROM generate_series(2, 5000) AS n`,
    [caller.organizationId, conversationId],
  );
  let touched: Promise<unknown> | undefined;
  const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  let steps = 0;
  // Each step ends the sessions of the conversation while it has locked it.
  const spy = jest.spyOn(redis, 'evalsha').mockImplementation(async (...args: unknown[]) => {
    if (!args.join(' ').includes(conversationId)) return evalsha(...args);
    steps += 1;
    // It waits for the first step, and is there before the second one.
    touched ??= dataSource.query('UPDATE webchat.conversation SET updated_at = now() WHERE id = $1', [
      conversationId,
    ]);
    await eventually(async () => steps > 1 || (await statementsThatWait(dataSource)).length > 0);
    return evalsha(...args);
  });
  const { organizationId } = caller;
  const data = expiredConversations(dataSource, redis);
  await data.remove({ organizationId, ids: [conversationId] }, expiryOf(30));
  spy.mockRestore();
  expect(steps).toBeGreaterThan(1);
  await touched;
  expect([await users(), await count('event')]).toEqual([[], 0]);
});
