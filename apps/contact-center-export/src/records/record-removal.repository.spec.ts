import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { FORGOTTEN_AT_ONCE, RecordRemovalRepository } from './record-removal.repository';

const OLD = 2 * FORGOTTEN_AT_ONCE - 1;
const NOW = new Date('2026-03-01T00:00:00Z');

let database: ContactCenterDatabase;
let removals: RecordRemovalRepository;

beforeEach(async () => {
  database = await createContactCenterDatabase();
  removals = new RecordRemovalRepository(database.dataSource.manager);
  // Of two organizations in turn. The first is the oldest, the last is not older than `NOW`.
  await database.dataSource.query(
    `INSERT INTO contact_center.record_removal (organization_id, type, key, updated_at, recorded_at)
     SELECT 'organization-' || n % 2, 'ticket', n::text, $1, $1::timestamptz - (${OLD} - n) * interval '1 second'
     FROM generate_series(0, ${OLD}) AS n`,
    [NOW],
  );
});
afterEach(() => database.drop());

async function kept(): Promise<number[]> {
  const rows: { key: string }[] = await database.dataSource.query(
    'SELECT key FROM contact_center.record_removal ORDER BY key::integer',
  );
  return rows.map(({ key }) => Number(key));
}

it('are forgotten in steps, the oldest first', async () => {
  await removals.prune(NOW);
  expect((await kept())[0]).toBe(FORGOTTEN_AT_ONCE);
  await removals.prune(NOW);
  expect(await kept()).toEqual([OLD]);
});

it('are kept if they come again while they are forgotten', async () => {
  const again = database.dataSource.createQueryRunner();
  await again.startTransaction();
  await new RecordRemovalRepository(again.manager).remove('organization-0', [
    { line: 1, type: 'ticket', op: 'delete', data: { id: 0, updatedAt: NOW.toISOString() } },
  ]);
  const pruning = removals.prune(NOW);
  await eventually(async () => (await statementsThatWait(database.dataSource)).length > 0);
  await again.commitTransaction();
  await again.release();
  await pruning;
  expect((await kept()).slice(0, 2)).toEqual([0, FORGOTTEN_AT_ONCE]);
});
