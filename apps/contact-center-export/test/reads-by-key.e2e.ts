import { withRecordWriter } from '@cxp/record-intake';
import { contactCenterRecords } from '../src/intake/contact-center-records';
import { record } from './builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from './contact-center-database';

const AGENT = { accountId: 1, email: 'ann@example.com', name: 'Ann' };
const CONVERSATIONS = 4_000;
const CHUNK = 100;

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
