import { withRecordWriter } from '@cxp/record-intake';
import { blocksReadBy } from '@cxp/testing';
import { ConversationSessionRepository } from '../src/conversation-sessions/conversation-session.repository';
import { contactCenterRecords } from '../src/intake/contact-center-records';
import { record } from './builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from './contact-center-database';

const AGENT = { accountId: 1, email: 'ann@example.com', name: 'Ann' };
const CONVERSATIONS = 4_000;
const CHUNK = 100;
const IDS = Array.from({ length: 100 }, (_, n) => `new-${n}`);

let database: ContactCenterDatabase;
beforeAll(async () => {
  database = await createContactCenterDatabase();
});
afterAll(() => database.drop());

it('the records of an organization that no statistics know of are found by their keys', async () => {
  await storeInChunks('known');
  await database.dataSource.query('VACUUM ANALYZE');
  const before = await tuplesRead();
  await storeInChunks('new');

  // A plan that goes through all that the organization has, for each record, would read thousands.
  expect(((await tuplesRead()) - before) / CONVERSATIONS).toBeLessThan(50);
});

it('the rows of conversations are found by their keys, however many rows the organization has', async () => {
  const rows = 300_000;
  await database.dataSource.query(
    `INSERT INTO contact_center.conversation_session (
       organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_id, session_end_reason,
       document, change, digest
     )
     SELECT 'large', to_timestamp(1.75e9 + n), 'c-' || md5(n::text), 0, -1, n % 50, 'terminal', '{}', n, n
     FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
  await database.dataSource.query('VACUUM ANALYZE contact_center.conversation_session');
  const sessions = new ConversationSessionRepository(database.dataSource.manager);

  const blocks = await blocksReadBy(database.dataSource, async () => {
    expect(await sessions.haveRows('large', IDS)).toBe(false);
  });

  // The index of the export's order, which PostgreSQL 18 might read from its beginning to its end, has thousands.
  expect(blocks).toBeLessThan(10 * IDS.length);
});

async function storeInChunks(organizationId: string): Promise<void> {
  await withRecordWriter(database.dataSource, contactCenterRecords, organizationId, async (writer) => {
    for (let first = 0; first < CONVERSATIONS; first += CHUNK) await writer.write(conversations(first));
  });
}

function conversations(first: number) {
  return Array.from({ length: CHUNK }, (_, place) => first + place).flatMap((n) => [
    record.conversation({ id: `c-${n}` }),
    record.activity({ id: `a-${n}`, conversationId: `c-${n}`, agent: AGENT }),
    record.message({ id: `m-${n}`, conversationId: `c-${n}` }),
    record.ticket({ id: n, conversationId: `c-${n}` }),
  ]);
}

/** Rows and index entries that were read so far, of all tables. */
async function tuplesRead(): Promise<number> {
  await database.dataSource.query('SELECT pg_stat_force_next_flush()');
  const [{ tuples }] = await database.dataSource.query(
    `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS tuples`,
  );
  return Number(tuples);
}
