import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { ErasedKeys } from '@cxp/erasure';
import { comparablePhone } from '@cxp/identifiers';
import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { ChatLogRepository } from '../src/conversations/chat-log.repository';
import { WebchatSettings } from '../src/settings';
import { FIND, inStep } from '../src/erasure/erasure.repository';
import { SocketServer } from '../src/sockets/socket-server';
import { areaB, useAreaB } from './area-b';
import { agentMessage, openSession, postToConversation, socketUrl } from './conversation-service';
import { ChatClient } from './chat-client';
import { everything, MARKER, PERSON } from './marked-person';
import {
  caller,
  createSession,
  refreshSession,
  service,
  SESSION_NOT_FOUND,
  webchatCaller,
  useWebchat,
  whileLocked,
} from './webchat-service';
import { AGENT, certificateOf, erase, erased, fullChat } from './erasures';

useAreaB(useWebchat);

async function rows(table: string): Promise<string[]> {
  const found = await service.dataSource.query(
    `SELECT row_to_json(t)::text AS row FROM webchat.${table} AS t WHERE organization_id = $1`,
    [caller.organizationId],
  );
  return found.map(({ row }: { row: string }) => row);
}

describe('POST /external/erasures', () => {
  it.each<[string, object, string]>([
    ['without an id', { id: undefined }, 'id must be a UUID'],
    ['with an id that is none', { id: 'x' }, 'id must be a UUID'],
    ['without a subject', { subject: undefined }, 'subject must be an object'],
    ['without an identifier', { subject: {} }, 'subject must have 1 to 100 identifiers'],
    ['with empty lists', { subject: { userIds: [], phones: [] } }, 'subject must have 1 to 100 identifiers'],
    [
      'with an empty identifier',
      { subject: { phones: [''], userIds: ['u'] } },
      'subject.phones must hold no empty text',
    ],
    [
      'with identifiers that are empty when compared',
      { subject: { phones: [' - ', '+'], emails: [' \u200b'] } },
      'subject must have 1 to 100 identifiers',
    ],
    ['with a number', { subject: { userIds: [7] } }, 'subject.userIds must be an array of texts'],
    ['with an object', { subject: { phones: {} } }, 'subject.phones must be an array'],
    [
      'with a long identifier',
      { subject: { emails: ['x'.repeat(256)] } },
      'subject.emails must have at most 255 characters',
    ],
    [
      'with 101 identifiers',
      {
        subject: { userIds: Array.from({ length: 60 }, String), phones: Array.from({ length: 41 }, String) },
      },
      'subject must have 1 to 100 identifiers',
    ],
    ['with the mode anonymize', { mode: 'anonymize' }, 'mode must be delete, or be left out'],
    ['with no mode', { mode: null }, 'mode must be delete, or be left out'],
    [
      'with NUL',
      { subject: { phones: ['+84\u00001'] } },
      'subject.phones.0 must be Unicode text without NUL',
    ],
    [
      'with more values than 500',
      { more: Array.from({ length: 501 }, () => 0) },
      'body must not hold more than 500 members and elements in all',
    ],
    ['with another mode in a dry run', { mode: 'hide', dryRun: true }, 'mode must be delete, or be left out'],
  ])('%s is a 422', async (_, body, sentence) => {
    const { body: answer } = await erase(body).expect(422);
    expect(answer).toMatchObject({ error: 'Bad Request', statusCode: 400 });
    expect(answer.message).toContain(sentence);
  });

  it('with an id that is done answers the same certificate, whatever is asked for, but for a dry run', async () => {
    const id = '00000000-0000-0000-0000-000000000001';
    const { body: first } = await erase({ id, mode: 'delete' }).expect(200);
    expect(Object.keys(first)).toEqual([
      ...['id', 'organizationId', 'area', 'requestedAt', 'erasedAt', 'found', 'lastChange'],
    ]);
    expect((await erase({ id }).expect(200)).body).toEqual(first);
    expect((await erase({ id, subject: { userIds: ['another'] } }).expect(200)).body).toEqual(first);
    await erase({ id: randomUUID() }).expect(200);
    expect(await certificateOf(id)).toEqual(first);
    expect((await erase({ id, dryRun: true }).expect(200)).body).toMatchObject({ id: null, erasedAt: null });
    await request(service.url).get(`/external/erasures/${randomUUID()}`).set(caller.headers).expect(404);
  });

  it('concerns the own organization only', async () => {
    const other = await webchatCaller(service);
    const { conversationId } = await openSession(service, other, PERSON);
    expect((await erased({})).found).toEqual({ conversations: 0, messages: 0, activities: 0, ratings: 0 });
    const [{ count }] = await service.dataSource.query(
      'SELECT count(*)::int AS count FROM webchat.conversation WHERE id = $1',
      [conversationId],
    );
    expect(count).toBe(1);
  });

  it.each<[string, object]>([
    ['user id', { userIds: [PERSON.id] }],
    ['phone, written in another way', { phones: ['+84-90-(QUYNH)-7431'.replace('QUYNH', 'Quynh')] }],
    ['email, written in another way', { emails: [` ${PERSON.email.toUpperCase()} `] }],
  ])('finds by %s, and a dry run only counts, without a lock', async (_, subject) => {
    const { client, sessionId } = await fullChat();
    await client.close();
    const lock = 'SELECT FROM webchat.conversation WHERE organization_id = $1 FOR UPDATE';
    const { body } = await whileLocked(service, lock, [caller.organizationId], () =>
      erase({ id: undefined, dryRun: true, subject }).expect(200),
    );
    const found = { conversations: 1, messages: 2, activities: 2, ratings: 1 };
    expect(body).toMatchObject({
      ...{ id: null, area: 'webchat', erasedAt: null, lastChange: null },
      found,
    });
    expect(await rows('event')).toHaveLength(6);
    await refreshSession(service, caller, sessionId).expect(200);
    expect(await erased({ subject })).toMatchObject({
      found,
      lastChange: null,
      erasedAt: expect.any(String),
    });
    expect(await rows('conversation')).toEqual([]);
  });
});

describe('a person who is erased', () => {
  it('has no session any more: neither socket, token nor user id leads to the chat', async () => {
    const { client, sessionId, sessionToken, conversationId, websocketUrl, ...rest } = await fullChat();
    await erased({});
    expect((await client.closed)[0]).toBe(4404);
    await refreshSession(service, caller, sessionId).expect(404, SESSION_NOT_FOUND);
    await request(service.url)
      .get(`/external/conversations/${conversationId}/events`)
      .set('authorization', `Bearer ${sessionToken}`)
      .expect(401);
    const again = await ChatClient.open(
      socketUrl(service, { sessionId, conversationId, websocketUrl, sessionToken, ...rest }),
      { sessionToken },
    );
    expect((await again.closed)[0]).toBe(4404);
    const { body } = await createSession(service, caller, PERSON).expect(201);
    expect(body.sessionId).not.toBe(sessionId);
    expect(body.conversationId).not.toBe(conversationId);
  });

  it('leaves nothing behind, in PostgreSQL and in Redis', async () => {
    const { client } = await fullChat();
    await createSession(service, caller, { id: PERSON.id, phone: `other ${MARKER}` }).expect(201);
    await service.dataSource.query(
      `INSERT INTO webchat.undelivered (organization_id, conversation_id, next_attempt_at, last_error)
       SELECT organization_id, id, now() + interval '1 hour', 'no ${MARKER}' FROM webchat.conversation WHERE organization_id = $1
       ON CONFLICT (organization_id, conversation_id)
         DO UPDATE SET next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error`,
      [caller.organizationId],
    );
    expect(await everything()).not.toBe('');
    await erased({});
    await client.closed;
    expect(await everything()).toBe('');
  });

  it('is closed even if no notification arrives', async () => {
    const { client } = await fullChat();
    jest.spyOn(service.redis, 'publish').mockResolvedValue(0);
    await erased({});
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await service.app.get(SocketServer).deliverLostEvents();
    expect((await client.closed)[0]).toBe(4404);
    jest.restoreAllMocks();
  });

  it('keeps others as they are', async () => {
    const { client } = await fullChat({ id: 'somebody else', phone: '+84 1' });
    const before = await Promise.all(['conversation', 'event'].map(rows));
    await (await fullChat()).client.close();
    await erased({});
    const after = (await Promise.all(['conversation', 'event'].map(rows))).map((found) =>
      found.filter((row) => before.flat().includes(row)),
    );
    expect(after).toEqual(before);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await client.close();
  });
});

describe('what comes later', () => {
  it('and is a conversation that the person has begun since the erasure was asked for is new data', async () => {
    const { client } = await fullChat();
    const { dataSource } = service;
    const store = (userId: string) =>
      dataSource.query(`SELECT webchat.find_or_create_conversation($1, $2, NULL, NULL, NULL, $3, false)`, [
        caller.organizationId,
        userId,
        [`phone:${comparablePhone(PERSON.phone)}`],
      ]);
    await store('stored before');
    let erasing: Promise<unknown>;
    const sql = 'SELECT FROM webchat.conversation WHERE organization_id = $1 FOR UPDATE';
    await whileLocked(service, sql, [caller.organizationId], async () => {
      erasing = erased({ subject: { userIds: [PERSON.id], phones: [PERSON.phone] } });
      await eventually(async () => (await rows('erasure')).length === 1);
      // What is begun within the same millisecond is erased, too: instants are rounded.
      await dataSource.query('SELECT pg_sleep(0.01)');
      await store('stored later');
    });
    expect(await erasing!).toMatchObject({ found: { conversations: 2 } });
    expect(await rows('conversation')).toEqual([expect.stringContaining('stored later')]);
    await client.closed;
  });

  it('and is under way while the conversation is erased is erased with it', async () => {
    const { conversationId, client } = await fullChat();
    const runner = service.dataSource.createQueryRunner();
    await runner.startTransaction();
    await new ChatLogRepository(runner.manager, service.app.get(WebchatSettings)).append(
      caller.organizationId,
      {
        conversationId,
        type: 'message',
        id: randomUUID(),
        payload: { senderType: 'agent', senderName: AGENT.name, text: `late ${MARKER}` },
        cause: 'noted',
      },
    );
    const erasing = erased({});
    await eventually(async () => (await statementsThatWait(service.dataSource)).length > 0);
    await runner.commitTransaction();
    await runner.release();
    expect((await erasing).found).toMatchObject({ conversations: 1, messages: 3 });
    await client.closed;
    expect(await everything()).toBe('');
    expect(await rows('event')).toEqual([]);
  });

  it('does not reach a conversation that was erased, whose key is kept', async () => {
    const { conversationId, client } = await fullChat();
    await erased({});
    await client.closed;
    for (const [what, body] of [
      ['messages', agentMessage(randomUUID())],
      ['activities', { id: randomUUID(), action: 'assign', agent: AGENT }],
    ] as const) {
      await postToConversation(service, caller, conversationId, what, body).expect(404);
    }
    const { manager } = service.dataSource;
    const key = { type: 'conversation', id: conversationId };
    expect(await new ErasedKeys('webchat').find(manager, caller.organizationId, [key])).toEqual(
      new Set([`conversation ${conversationId}`]),
    );
    const removal = { type: 'conversation', op: 'delete', reason: 'erased', data: { id: conversationId } };
    const removals = (await areaB.recordsOf(service, caller)).filter(({ op }) => op === 'delete');
    expect(removals).toMatchObject([removal]);
  });

  it('is found where the last step stopped, for the same work however many hold its phone', async () => {
    const { organizationId } = caller;
    const phone = '+84901234567';
    await service.dataSource.query(
      `WITH made AS (
         INSERT INTO webchat.conversation (organization_id, user_id, updated_at)
         SELECT $1, 'u' || n, now() FROM generate_series(1, 600) AS n RETURNING id
       ) INSERT INTO webchat.conversation_identifier SELECT $1, id, $2 FROM made`,
      [organizationId, `phone:${phone}`],
    );
    await service.dataSource.query('ANALYZE webchat.conversation, webchat.conversation_identifier');
    const values = [organizationId, [], [`phone:${phone}`], null, '80000000-0000-0000-0000-000000000000'];
    const plan = await inStep(service.dataSource, organizationId, async ({ queryRunner }) =>
      JSON.stringify(await queryRunner!.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${FIND.text}`, values)),
    );
    const counts = [...plan.matchAll(/"Actual (?:Loops|Rows)":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(counts).not.toEqual([]);
    expect(Math.max(...counts)).toBeLessThanOrEqual(51);

    const { found } = await erased({ subject: { phones: [phone] } });
    expect(found).toMatchObject({ conversations: 600 });
  }, 60_000);

  it('is erased once more by the same request after a backup was restored, also if its steps delete only what is not counted', async () => {
    const { client } = await fullChat();
    const before: { id: string }[] = await service.dataSource.query(
      'SELECT * FROM webchat.conversation WHERE organization_id = $1',
      [caller.organizationId],
    );
    const certificate = await erased({});
    await client.closed;
    await service.dataSource.query('DELETE FROM webchat.conversation WHERE organization_id = $1', [
      caller.organizationId,
    ]);
    await service.dataSource.query('DELETE FROM webchat.erased_key; DELETE FROM webchat.erasure');
    await service.dataSource.query(
      'INSERT INTO webchat.conversation SELECT * FROM json_populate_recordset(NULL::webchat.conversation, $1)',
      [JSON.stringify(before)],
    );
    await service.dataSource.query(
      `INSERT INTO webchat.event (organization_id, conversation_id, event, type, stored_at, payload)
       SELECT $1, $2, n, 'read', now(), '{}' FROM generate_series(1, 5000) AS n`,
      [caller.organizationId, before[0]!.id],
    );
    const { found } = await erased({ id: certificate.id });
    expect(found).toEqual({ conversations: 1, messages: 0, activities: 0, ratings: 0 });
    expect(await everything()).toBe('');
    expect(await rows('event')).toEqual([]);
  });
});
