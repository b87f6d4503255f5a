import { DataSource } from 'typeorm';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '../src/database';
import { EventReadModel } from '../src/events/event.read-model';

const ORGANIZATION = 'org';

/** Of the release before events were numbered. */
const previousRelease = {
  ...webchatDatabase,
  migrations: webchatDatabase.migrations.filter(({ name }) => !name.includes('Events')),
};

/** The statements of that release, as it runs them. */
const PREVIOUS = {
  message: `
    WITH conversation AS (
      UPDATE webchat.conversation
      SET last_sequence = last_sequence + 1,
          updated_at = greatest(date_trunc('milliseconds', clock_timestamp()),
            conversation.updated_at + interval '1 millisecond'),
          closed_at = CASE WHEN $5 = 'customer' THEN NULL ELSE closed_at END
      WHERE organization_id = $1 AND id = $2
      RETURNING organization_id, id, last_sequence, updated_at
    ), message AS (
      INSERT INTO webchat.message
        (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
      SELECT organization_id, id, last_sequence, $3, $4, $5, NULL, 'text', updated_at FROM conversation
      RETURNING *
    ), event AS (
      INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
      SELECT organization_id, conversation_id, sequence FROM message
    )
    SELECT id FROM message`,
  activity: `
    WITH conversation AS (
      UPDATE webchat.conversation
      SET updated_at = greatest(date_trunc('milliseconds', clock_timestamp()),
            conversation.updated_at + interval '1 millisecond'),
          closed_at = CASE
            WHEN $4 = ANY ('{end_conversation,timed_out}'::text[]) THEN coalesce($5, clock_timestamp())
            WHEN $4 = ANY ('{route_to_ai,assign}'::text[]) THEN NULL
            ELSE closed_at END
      WHERE organization_id = $1 AND id = $2
      RETURNING organization_id, id, updated_at
    ), activity AS (
      INSERT INTO webchat.activity (organization_id, id, conversation_id, action, occurred_at, agent)
      SELECT organization_id, $3, id, $4, coalesce($5::timestamptz, updated_at), $6 FROM conversation
      RETURNING *
    ), event AS (
      INSERT INTO webchat.outbox (organization_id, conversation_id, activity_id)
      SELECT organization_id, conversation_id, id FROM activity
    )
    SELECT id FROM activity`,
  customerRead: `
    UPDATE webchat.conversation SET customer_read_sequence = least($3, last_sequence)
    WHERE organization_id = $1 AND id = $2 AND customer_read_sequence < least($3, last_sequence)
    RETURNING customer_read_sequence AS sequence`,
};

let database: TestDatabase;
let dataSource: DataSource;
let conversationId: string;

beforeEach(async () => {
  database = await createTestDatabase([previousRelease], migrate);
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  conversationId = await createConversation('u');
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function createConversation(userId: string): Promise<string> {
  const [row] = await dataSource.query(
    'INSERT INTO webchat.conversation (organization_id, user_id) VALUES ($1, $2) RETURNING id',
    [ORGANIZATION, userId],
  );
  return row.id;
}

const say = (id: string, senderType: string, at = conversationId) =>
  dataSource.query(PREVIOUS.message, [ORGANIZATION, at, id, null, senderType]);
const act = (id: string, action: string, more: { occurredAt?: string; agent?: object; at?: string } = {}) =>
  dataSource.query(PREVIOUS.activity, [
    ORGANIZATION,
    more.at ?? conversationId,
    id,
    action,
    more.occurredAt ?? null,
    more.agent ? JSON.stringify(more.agent) : null,
  ]);
const read = (sequence: number) =>
  dataSource.query(PREVIOUS.customerRead, [ORGANIZATION, conversationId, sequence]);

/** Brings the database to this release, while the previous one goes on. */
const upgrade = () => migrate(webchatDatabase, database.url);

async function events(of = conversationId) {
  const found = await new EventReadModel(dataSource.manager).listAfter(ORGANIZATION, of, 0, 1_000);
  return found.map((event) => [
    event.event,
    event.type,
    'message' in event ? event.message.id : 'id' in event ? event.id : undefined,
    ...('status' in event ? [event.status] : []),
    ...('agent' in event ? [event.agent?.name] : []),
  ]);
}

async function conversation(id = conversationId) {
  const [row] = await dataSource.query(
    'SELECT last_event::int AS "lastEvent", agent FROM webchat.conversation WHERE id = $1',
    [id],
  );
  return row;
}

describe('the migration numbers existing conversations', () => {
  it('messages and activities by time, then read marks, with the status and agent after each', async () => {
    await act('before', 'assign', { occurredAt: '2026-01-01T00:00:00Z', agent: { name: 'Ann' } });
    await say('m-1', 'agent');
    await act('end', 'end_conversation', { agent: { name: 'Ann' } });
    await say('m-2', 'agent');
    await say('m-3', 'customer');
    await act('service', 'assign', { agent: { name: 'Bot', isServiceAccount: true } });
    await act('bob', 'assign', { agent: { accountId: 7, name: 'Bob' } });
    await act('note', 'note_added', { agent: { name: 'Eve' } });
    await read(2);
    const empty = await createConversation('empty');
    await upgrade();
    expect(await events()).toEqual([
      [1, 'activity', 'before', 'open', 'Ann'],
      [2, 'message', 'm-1', 'open'],
      [3, 'activity', 'end', 'closed', undefined],
      [4, 'message', 'm-2', 'closed'],
      [5, 'message', 'm-3', 'open'],
      [6, 'activity', 'service', 'open', undefined],
      [7, 'activity', 'bob', 'open', 'Bob'],
      [8, 'activity', 'note', 'open', 'Bob'],
      [9, 'read', undefined],
    ]);
    expect(await conversation()).toEqual({ lastEvent: 9, agent: { name: 'Bob' } });
    expect([await events(empty), await conversation(empty)]).toEqual([[], { lastEvent: 0, agent: null }]);
  });

  it('of many organizations, in more than one batch', async () => {
    await dataSource.query(
      `INSERT INTO webchat.conversation (organization_id, user_id)
       SELECT 'org-' || n % 7, 'user-' || n FROM generate_series(1, 450) AS n`,
    );
    await dataSource.query(
      `WITH conversation AS (UPDATE webchat.conversation SET last_sequence = 3 RETURNING *)
       INSERT INTO webchat.message (organization_id, conversation_id, sequence, id, sender_type, text, sent_at)
       SELECT organization_id, id, n, id || '-' || n, 'agent', 'x', now() FROM conversation, generate_series(1, 3) AS n`,
    );
    await upgrade();
    const counted = await dataSource.query(
      `SELECT count(*)::int AS conversations, min(last_event)::int AS min, max(last_event)::int AS max,
         (SELECT count(*)::int FROM webchat.event WHERE event = message_sequence) AS events
       FROM webchat.conversation`,
    );
    expect(counted).toEqual([{ conversations: 451, min: 3, max: 3, events: 1_353 }]);
  });
});

describe('the previous release', () => {
  it('can write after the migration; its events are numbered with the others', async () => {
    await say('m-1', 'customer');
    await upgrade();
    await act('ann', 'assign', { agent: { name: 'Ann' } });
    await say('m-2', 'agent');
    await read(2);
    await read(1);
    await act('rate', 'route_to_rating');
    await act('end', 'end_conversation');
    await say('m-3', 'agent');
    await expect(say('m-3', 'agent')).rejects.toThrow('message_id_unique');
    await say('m-4', 'customer');
    const created = await createConversation('v');
    await say('m-5', 'customer', created);
    expect(await events()).toEqual([
      [1, 'message', 'm-1', 'open'],
      [2, 'activity', 'ann', 'open', 'Ann'],
      [3, 'message', 'm-2', 'open'],
      [4, 'read', undefined],
      [5, 'activity', 'rate', 'open', undefined],
      [6, 'rating.requested', undefined],
      [7, 'activity', 'end', 'closed', undefined],
      [8, 'message', 'm-3', 'closed'],
      [9, 'message', 'm-4', 'open'],
    ]);
    expect(await conversation()).toEqual({ lastEvent: 9, agent: null });
    expect(await dataSource.query('SELECT request_event::int AS request FROM webchat.rating')).toEqual([
      { request: 6 },
    ]);
    expect(await events(created)).toEqual([[1, 'message', 'm-5', 'open']]);
  });

  it('can write while existing conversations are numbered: none is left out and none is numbered twice', async () => {
    const ids = [conversationId];
    for (let i = 0; i < 20; i++) ids.push(await createConversation(`user-${i}`));
    let count = 0;
    let isUpgraded = false;
    const writing = (async () => {
      while (!isUpgraded || count < 60) {
        const at = ids[count % ids.length]!;
        if (count % 3) await say(`m-${count}`, 'customer', at);
        else await act(`a-${count}`, 'assign', { at });
        count++;
      }
    })();
    await upgrade();
    isUpgraded = true;
    await writing;
    let total = 0;
    for (const id of ids) {
      const numbers = (await events(id)).map(([event]) => event);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      expect((await conversation(id)).lastEvent).toBe(numbers.length);
      total += numbers.length;
    }
    expect(total).toBe(count);
  });
});
