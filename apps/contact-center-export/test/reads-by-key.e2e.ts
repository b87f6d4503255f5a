import { ChangeFeed, ChangeWatch } from '@cxp/change-feed';
import { blocksReadBy, needs } from '@cxp/testing';
import { ConversationSessionReadModel } from '../src/conversation-sessions/conversation-session.read-model';
import { ConversationSessionRepository } from '../src/conversation-sessions/conversation-session.repository';
import { BEFORE_EVERY_ROW } from '../src/conversation-sessions/row-cursor';
import { sessionFeed } from '../src/conversation-session-changes/session-change-feed';
import { RecordRepository } from '../src/records/record.repository';
import { conversationOfAnn, record } from './builders/platform-records';
import { useContactCenterDatabase } from './contact-center-database';

const CONVERSATIONS = 1_000;
const CHUNK = 250;
const IDS = Array.from({ length: 300 }, (_, n) => `new-${n}`);

// On a cluster the workers count what is read.
const { it, describe } = needs('PostgreSQL alone', !process.env.CITUS_URL);

const database = useContactCenterDatabase();

it('the records of an organization that no statistics know of are found by their keys', async () => {
  await storeInChunks('known');
  await database.dataSource.query('VACUUM ANALYZE');
  const before = await tuplesRead();
  await storeInChunks('new');

  // A plan that goes through all that the organization has, for each record, would read dozens.
  expect(((await tuplesRead()) - before) / CONVERSATIONS).toBeLessThan(25);
});

describe('however many rows the organization has', () => {
  const rows = 100_000;
  beforeAll(async () => {
    await insertRows('large', rows, `'c-' || md5(n::text)`);
    await database.dataSource.query('VACUUM ANALYZE contact_center.conversation_session');
  });

  it('the rows of conversations are found by their keys', async () => {
    const sessions = new ConversationSessionRepository(database.dataSource.manager);
    const none = () => Promise.resolve(() => 'removed' as const);

    const blocks = await blocksReadBy(database.dataSource, async () => {
      expect(await sessions.replace('large', IDS, [], none)).toBe(0);
    });

    // The index of the export's order, which PostgreSQL 18 might read from its beginning to its end, has thousands of them.
    expect(blocks).toBeLessThan(5 * IDS.length);
  });

  it('those of a filter with many values are found as fast by the tenth call of a connection as by the first', async () => {
    const runner = database.dataSource.createQueryRunner();
    await runner.connect();
    const sessions = new ConversationSessionReadModel(runner.manager);
    const [startsAt, endsAt] = [0, Date.parse('2100-01-01')];
    const emails = Array.from({ length: 300 }, (_, n) => `stranger${n}`);
    const times: number[] = [];
    for (let call = 0; call < 30; call += 1) {
      const before = performance.now();
      const page = await sessions.page(
        'large',
        { startsAt, endsAt, sessionAgentEmails: emails },
        { offset: 0, limit: 50 },
      );
      times.push(performance.now() - before);
      expect(page.total).toBe(0);
    }
    await runner.release();

    // PostgreSQL plans five runs of a prepared statement with their values, and the following ones without: those took twenty times as long.
    expect(Math.min(...times.slice(6)) / Math.min(...times.slice(0, 5))).toBeLessThan(4);
  });

  it('those after a place that have a rare end reason are found in the index alone', async () => {
    const sessions = new ConversationSessionReadModel(database.dataSource.manager);
    const [startsAt, endsAt] = [0, Date.parse('2100-01-01')];
    const rare = { startsAt, endsAt, sessionEndReasons: ['service_account_takeover' as const] };
    const blocks = await blocksReadBy(database.dataSource, async () => {
      expect((await sessions.after('large', rare, BEFORE_EVERY_ROW, { limit: 100 })).rows).toEqual([]);
    });
    const [{ index }] = await database.dataSource.query<[{ index: number }]>(
      `SELECT (pg_relation_size('contact_center.conversation_session_order') / 8192)::integer AS index`,
    );
    expect(blocks).toBeLessThan(2 * index);
  });
});

/** PostgreSQL expects a two-hundredth of a table for any organization: the smaller the table, the sooner it would read all that one has. */
describe('in a table of 200,000 rows of one organization', () => {
  const organization = 'crowded';
  beforeAll(async () => {
    await database.dataSource.query('TRUNCATE contact_center.conversation_session, contact_center.record');
    await insertRows(organization, 200_000, `'d-' || n`);
    await database.dataSource.query(
      `INSERT INTO contact_center.record (organization_id, type, id, conversation_id, at, data)
       SELECT $1, type, 'd-' || n, 'd-' || n, to_timestamp(1.75e9 + n), '{}'
       FROM generate_series(1, 100000) AS n, unnest('{conversation,message}'::text[]) AS type`,
      [organization],
    );
    await database.dataSource.query('VACUUM ANALYZE');
  });

  it.each([
    [500, 0],
    [2_000, 10_000],
    [5_000, 20_000],
  ])('%d are deleted by their keys', async (count, first) => {
    const { manager } = database.dataSource;
    const none = () => Promise.resolve(() => 'removed' as const);
    const [sessions, records] = [new ConversationSessionRepository(manager), new RecordRepository(manager)];
    const ids = Array.from({ length: count }, (_, n) => `d-${first + n + 1}`);
    const deletions = {
      rows: () => sessions.replace(organization, ids, [], none),
      records: () =>
        records.remove(
          organization,
          ids.map((id) => ({ type: 'message', id })),
        ),
      conversations: () => records.removeConversations(organization, ids),
    };
    for (const [what, work] of Object.entries(deletions)) {
      const before = await tuplesRead();
      await work();
      // Each key is looked up once to find it, and once by each statement that may delete it.
      expect([what, ((await tuplesRead()) - before) / count < 10]).toEqual([what, true]);
    }
  });
});

/** To find out where a read ends, PostgreSQL would otherwise read and decompress all that may follow, each time. */
describe('of large rows, each is read once', () => {
  const [organization, count] = ['of large rows', 60];

  beforeAll(async () => {
    await database.store(organization, [record.conversation({ id: 'c' })]);
    await database.dataSource.query(
      `INSERT INTO contact_center.conversation_session (
         organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_email,
         session_end_reason, document, change, digest
       )
       SELECT $1, to_timestamp(1.75e9), 'c', 0, n, '', 'terminal', json_build_object('note', text), n, n
       FROM generate_series(1, $2::int) AS n, LATERAL (
         SELECT string_agg(md5(n || ' ' || part), '') AS text FROM generate_series(1, 3000) AS part
       ) AS document`,
      [organization, count],
    );
    await database.dataSource.query(
      'INSERT INTO contact_center.change_feed (organization_id, last) VALUES ($1, $2)',
      [organization, count],
    );
    await database.dataSource.query('VACUUM ANALYZE contact_center.conversation_session');
  });

  async function asChanges(): Promise<number> {
    const watch = new ChangeWatch(database.dataSource.manager, 'contact_center');
    const feed = new ChangeFeed(database.dataSource.manager, sessionFeed, watch);
    let read = 0;
    for await (const { items } of await feed.stream(organization, undefined)) read += items.length;
    return read;
  }

  it('by the feed', async () => {
    const once = await blocksReadBy(database.dataSource, () =>
      database.dataSource.query(
        'SELECT document FROM contact_center.conversation_session WHERE organization_id = $1',
        [organization],
      ),
    );
    const blocks = await blocksReadBy(database.dataSource, async () => expect(await asChanges()).toBe(count));
    expect(blocks / once).toBeLessThan(2);
  });
});

async function storeInChunks(organizationId: string): Promise<void> {
  for (let first = 0; first < CONVERSATIONS; first += CHUNK) {
    await database.store(organizationId, conversations(first));
  }
}

function conversations(first: number) {
  return Array.from({ length: CHUNK }, (_, place) => first + place).flatMap((n) => [
    ...conversationOfAnn({ id: `c-${n}` }),
    record.message({ id: `m-${n}`, conversationId: `c-${n}` }),
    record.ticket({ id: n, conversationId: `c-${n}` }),
  ]);
}

/** @param id SQL of the conversation of row n */
async function insertRows(organizationId: string, count: number, id: string): Promise<void> {
  await database.dataSource.query(
    `INSERT INTO contact_center.conversation_session (
       organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_email, session_end_reason,
       document, change, digest
     )
     SELECT $1, to_timestamp(1.75e9 + n), ${id}, 0, -1, 'agent' || n % 50, 'terminal', '{}', n, n
     FROM generate_series(1, $2::integer) AS n`,
    [organizationId, count],
  );
}

/** Rows and index entries that were read so far, of all tables. */
async function tuplesRead(): Promise<number> {
  await database.dataSource.query('SELECT pg_stat_force_next_flush()');
  const [{ tuples }] = await database.dataSource.query(
    `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS tuples`,
  );
  return Number(tuples);
}
