import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamedRecord } from '@cxp/record-intake';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { OutboxRelay } from '../src/outbox/outbox-relay';
import { SERVING_ROLE } from '@cxp/testing';
import { agentMessage, connect, openSession, postToConversation } from './conversation-service';
import { RecordReader, STREAM } from './record-reader';
import { startWebchat, webchatCaller } from './webchat-service';

const CHECK_AFTER_MS = 300;

let service: TestService;
let elsewhere: TestService;
let caller: Caller;
let reader: RecordReader;

beforeAll(async () => {
  service = await startWebchat();
  const { DATABASE_URL, REDIS_URL } = service.environment;
  elsewhere = await startWebchat({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL! });
  for (const { app } of [service, elsewhere]) app.get(OutboxRelay).checkAfterMs = CHECK_AFTER_MS;
});
beforeEach(async () => {
  caller = await webchatCaller(service);
  reader = new RecordReader(service);
});
afterEach(() => reader.stop());
afterAll(async () => {
  await elsewhere.stop();
  await service.stop();
});

const told = (): Promise<Omit<StreamedRecord, 'organizationId'>[]> => reader.recordsOf(caller);
const waiting = (): Promise<number> => reader.waiting();

/** How many records of changes are in Redis. */
async function sent(): Promise<number> {
  return service.redis.xlen(STREAM);
}

async function lastOf<Data>(type: string): Promise<Data> {
  return (await told()).filter((record) => record.type === type).at(-1)?.data as Data;
}

async function conversationRow(conversationId: string): Promise<{ created_at: Date; updated_at: Date }> {
  const [row] = await service.dataSource.query('SELECT * FROM webchat.conversation WHERE id = $1', [
    conversationId,
  ]);
  return row;
}

describe('what happens in a conversation becomes records of area B', () => {
  it('the conversation when it is created, with its customer', async () => {
    const { conversationId } = await openSession(service, caller, {
      id: 'u',
      name: 'Hoa',
      phone: '+84 90',
      email: 'hoa@example.com',
    });
    const { created_at, updated_at } = await conversationRow(conversationId);
    const [record, ...others] = await told();
    const { createdAt, updatedAt, ...data } = record!.data as Record<string, string>;
    expect({ ...record, data }).toEqual({
      type: 'conversation',
      data: {
        id: conversationId,
        closedAt: null,
        customer: { filumId: 'u', name: 'Hoa', phone: '+84 90', email: 'hoa@example.com' },
      },
    });
    expect([new Date(createdAt!), new Date(updatedAt!)]).toEqual([created_at, updated_at]);
    expect(others).toEqual([]);
  });

  it('the conversation again, and later, when its customer is told anew; not later when nothing is new', async () => {
    await openSession(service, caller, { id: 'u', name: 'Hoa' });
    const before = await lastOf<{ updatedAt: string }>('conversation');
    await service.redis.del(...(await service.redis.keys(`webchat:{${caller.organizationId}}:*`)));
    await openSession(service, caller, { id: 'u', name: 'Hoa' });
    expect(await lastOf('conversation')).toEqual(before);

    await service.redis.del(...(await service.redis.keys(`webchat:{${caller.organizationId}}:*`)));
    await openSession(service, caller, { id: 'u', name: 'Hoa Nguyen', email: 'hoa@example.com' });
    const after = await lastOf<{ updatedAt: string; customer: object }>('conversation');
    expect(after.customer).toEqual({ filumId: 'u', name: 'Hoa Nguyen', phone: '', email: 'hoa@example.com' });
    expect(new Date(after.updatedAt).getTime()).toBeGreaterThan(new Date(before.updatedAt).getTime());
  });

  it('messages of both sides, each followed by the conversation as it is then', async () => {
    const session = await openSession(service, caller, { id: 'u' });
    const client = await connect(service, session);
    client.sendMessage('c-1');
    const { id, sentAt } = await client.next('message.accepted');
    const { body } = await postToConversation(
      service,
      caller,
      session.conversationId,
      'messages',
      agentMessage('m-2'),
    ).expect(200);
    const messages = (await told()).filter(({ type }) => type === 'message');
    expect(
      messages.map(({ data }) => ({ ...data, sentAt: new Date((data as { sentAt: string }).sentAt) })),
    ).toEqual([
      { id, conversationId: session.conversationId, senderType: 'customer', sentAt: new Date(sentAt) },
      {
        id: 'm-2',
        conversationId: session.conversationId,
        senderType: 'agent',
        sentAt: new Date(body.sentAt),
      },
    ]);
    const { updatedAt } = await lastOf<{ updatedAt: string }>('conversation');
    expect(new Date(updatedAt)).toEqual(new Date(body.sentAt));
    await client.close();
  });

  it('activities as they were posted, and the end of the conversation', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann', isServiceAccount: false };
    const occurredAt = '2026-01-05T12:00:00.000Z';
    const post = (activity: object) =>
      postToConversation(service, caller, conversationId, 'activities', activity).expect(200);
    await post({ id: 'a-1', action: 'assign', occurredAt, agent });
    await post({ id: 'a-2', action: 'end_conversation', occurredAt });
    const activities = (await told()).filter(({ type }) => type === 'activity').map(({ data }) => data);
    expect(activities).toEqual([
      { id: 'a-1', conversationId, action: 'assign', occurredAt: expect.any(String), agent },
      { id: 'a-2', conversationId, action: 'end_conversation', occurredAt: expect.any(String), agent: null },
    ]);
    const { closedAt } = await lastOf<{ closedAt: string }>('conversation');
    expect(new Date(closedAt)).toEqual(new Date(occurredAt));
  });
});

describe('changes', () => {
  const post = (conversationId: string, id: string, at = service) =>
    postToConversation(at, caller, conversationId, 'messages', agentMessage(id)).expect(200);

  it('of a conversation are told in their order, each once, whichever of two processes made them', async () => {
    const conversations = [
      (await openSession(service, caller, { id: 'u' })).conversationId,
      (await openSession(service, caller, { id: 'v' })).conversationId,
    ];
    await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        post(conversations[i % 2]!, `m-${i}`, i % 3 ? service : elsewhere),
      ),
    );
    const messages = (await told()).filter(({ type }) => type === 'message').map(({ data }) => data) as {
      conversationId: string;
      sentAt: string;
    }[];
    expect(messages).toHaveLength(120);
    for (const id of conversations) {
      const times = messages
        .filter(({ conversationId }) => conversationId === id)
        .map(({ sentAt }) => sentAt);
      expect(times).toEqual([...new Set(times)].sort());
    }
  });

  it('wait in the outbox while Redis does not store them', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await reader.stop();
    await service.redis.set(STREAM, 'no stream');
    await post(conversationId, 'm-1');
    const tries = jest.spyOn(service.redis, 'xlen');
    const triesElsewhere = jest.spyOn(elsewhere.redis, 'xlen');
    await eventually(() => tries.mock.calls.length + triesElsewhere.mock.calls.length >= 2);
    expect(await waiting()).toBe(1);
    await service.redis.del(STREAM);
    reader = new RecordReader(service);
    expect((await told()).at(-2)).toMatchObject({ type: 'message', data: { id: 'm-1' } });
  });

  it('stay in the outbox until area B has acknowledged them, and are sent again when Redis loses them', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await reader.stop();
    await post(conversationId, 'm-1');
    await eventually(async () => (await sent()) >= 2);
    expect(await waiting()).toBe(1);
    await service.redis.del(STREAM);
    await eventually(async () => (await sent()) >= 2);
    expect(await waiting()).toBe(1);
    reader = new RecordReader(service);
    expect((await told()).map(({ type }) => type)).toEqual(['message', 'conversation']);
  });

  it('of a conversation wait for those before them: one that got lost still arrives first', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await reader.stop();
    await post(conversationId, 'm-1');
    await eventually(async () => (await sent()) >= 2);
    await service.redis.del(STREAM);
    await post(conversationId, 'm-2');
    await eventually(async () => (await sent()) >= 3);
    reader = new RecordReader(service);
    const messages = (await told()).filter(({ type }) => type === 'message');
    expect(messages.map(({ data }) => (data as { id: string }).id)).toEqual(['m-1', 'm-2']);
  });

  it('are not sent again while Redis has them, however long area B is away', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await reader.stop();
    await post(conversationId, 'm-1');
    await eventually(async () => (await sent()) >= 2);
    // They are looked for some times.
    await sleep(4 * CHECK_AFTER_MS);
    expect(await sent()).toBe(2);
    reader = new RecordReader(service);
    expect((await told()).map(({ type }) => type)).toEqual(['message', 'conversation']);
  });

  it('are sent a bounded number at a time', async () => {
    await told();
    await reader.stop();
    await service.dataSource.query(
      `WITH conversation AS (
         INSERT INTO webchat.conversation (organization_id, user_id)
         SELECT $1, n::text FROM generate_series(1, 3000) n RETURNING id)
       INSERT INTO webchat.outbox (organization_id, conversation_id) SELECT $1, id FROM conversation`,
      [caller.organizationId],
    );
    await eventually(async () => (await sent()) >= 2_000);
    await sleep(500);
    expect(await sent()).toBe(2_000);
    reader = new RecordReader(service);
    const told3000 = await told();
    expect(new Set(told3000.map(({ data }) => (data as { id: string }).id)).size).toBe(3_000);
  });

  it('tell how old the oldest of them is', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await reader.stop();
    await post(conversationId, 'm-1');
    await service.dataSource.query(`UPDATE webchat.outbox SET created_at = now() - interval '5 minutes'`);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const [, seconds] = /^webchat_outbox_oldest_seconds\{.*\} (.+)$/m.exec(metrics)!;
    expect(Math.floor(Number(seconds) / 60)).toBe(5);
  });

  it('of a conversation that is gone are passed over', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await told();
    await service.dataSource.query(
      `WITH gone AS (DELETE FROM webchat.conversation WHERE id = $2)
       INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence) VALUES ($1, $2, 1)`,
      [caller.organizationId, conversationId],
    );
    expect((await told()).filter(({ type }) => type === 'message')).toEqual([]);
  });
});

describe('a change that can’t be told holds up no other organization', () => {
  const post = (conversationId: string, id: string, by = caller) =>
    postToConversation(service, by, conversationId, 'messages', agentMessage(id)).expect(200);
  const messagesOf = ({ organizationId }: Caller) =>
    reader.records
      .filter((record) => record.organizationId === organizationId && record.type === 'message')
      .map(({ data }) => (data as { id: string }).id);

  it('for an unknown reason: it is tried again until it can be told', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    const other = await webchatCaller(service);
    const ofOther = await openSession(service, other, { id: 'v' });
    await told();
    let tries = 0;
    const spies = [service, elsewhere].map(({ app }) => {
      const relay = app.get(OutboxRelay);
      const { changeRecords } = relay;
      return jest.spyOn(relay, 'changeRecords').mockImplementation((changes) => {
        if (!changes.some(({ message }) => message?.id === 'm-bad')) return changeRecords(changes);
        tries += 1;
        throw new TypeError('x is undefined');
      });
    });
    await post(conversationId, 'm-bad');
    await eventually(async () => tries > 0);
    await post(ofOther.conversationId, 'm-1', other);
    await eventually(async () => messagesOf(other).includes('m-1'));
    const before = tries;
    await eventually(async () => tries > before);
    expect(await waiting()).toBe(1);
    for (const spy of spies) spy.mockRestore();
    await told();
    expect(messagesOf(caller)).toEqual(['m-bad']);
    expect(await service.dataSource.query('SELECT FROM webchat.rejected_record')).toEqual([]);
  });

  it('because its data is at fault: it is put aside', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await post(conversationId, 'm-bad');
    await post(conversationId, 'm-good');
    await told();
    const query = (sql: string, values?: unknown[]) => service.dataSource.query<object[]>(sql, values);
    // So many messages that each is looked up by its key: otherwise PostgreSQL may compute the bad time for every change.
    await query(
      `INSERT INTO webchat.message (organization_id, conversation_id, sequence, id, sender_type, text, sent_at)
       SELECT $1, gen_random_uuid(), 1, 'other-' || n, 'agent', '', now() FROM generate_series(1, 5000) AS n`,
      [caller.organizationId],
    );
    await query('ANALYZE webchat.message');
    await query('ALTER TABLE webchat.message RENAME TO message_kept');
    await query(
      `CREATE VIEW webchat.message AS SELECT organization_id, conversation_id, sequence, id, sender_type,
         CASE WHEN id = 'm-bad' THEN (sequence / (sequence - sequence))::text::timestamptz ELSE sent_at END AS sent_at
       FROM webchat.message_kept`,
    );
    await query(`GRANT SELECT ON webchat.message TO ${SERVING_ROLE}`);
    await query(
      `INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
       SELECT organization_id, conversation_id, sequence FROM webchat.message_kept
       WHERE organization_id = $1 AND conversation_id = $2 ORDER BY sequence`,
      [caller.organizationId, conversationId],
    );
    await told();
    await query('DROP VIEW webchat.message');
    await query('ALTER TABLE webchat.message_kept RENAME TO message');
    expect(messagesOf(caller)).toEqual(['m-bad', 'm-good', 'm-good']);
    const rejected = await query('SELECT organization_id, record, reason FROM webchat.rejected_record');
    expect(rejected).toEqual([
      {
        organization_id: caller.organizationId,
        record: expect.stringContaining(`"conversationId":"${conversationId}","messageSequence":"1"`),
        reason: expect.stringContaining('division by zero'),
      },
    ]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^rejected_records\{organization=".*\} 1$/m);
  });
});
