import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { record } from '../../test/builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { RecordRepository } from './record.repository';

const AT_ONCE = 500;
const OLD = 2 * AT_ONCE - 1;
const NOW = new Date('2026-03-01T00:00:00Z');

describe('removals with a time', () => {
  let database: ContactCenterDatabase;
  let records: RecordRepository;

  beforeEach(async () => {
    database = await createContactCenterDatabase();
    records = new RecordRepository(database.dataSource.manager);
    // Of two organizations in turn. The first is the oldest, the last is not older than `NOW`.
    await database.dataSource.query(
      `INSERT INTO contact_center.record (organization_id, type, id, removed_version, removed_at)
       SELECT 'organization-' || n % 2, 'ticket', n::text, $1, $1::timestamptz - (${OLD} - n) * interval '1 second'
       FROM generate_series(0, ${OLD}) AS n`,
      [NOW],
    );
  });
  afterEach(() => database.drop());

  async function kept(): Promise<number[]> {
    const rows: { id: string }[] = await database.dataSource.query(
      'SELECT id FROM contact_center.record WHERE removed_at IS NOT NULL ORDER BY id::integer',
    );
    return rows.map(({ id }) => Number(id));
  }

  it('are forgotten in steps, the oldest first; a record that is newer stays', async () => {
    const newer = record.ticket({ id: 0, conversationId: 'c', updatedAt: NOW.toISOString() });
    await database.store('organization-0', [newer]);
    await records.prune(NOW, AT_ONCE);
    expect((await kept())[0]).toBe(AT_ONCE);
    await records.prune(NOW, AT_ONCE);
    expect(await kept()).toEqual([OLD]);
    expect(
      await database.dataSource.query('SELECT id FROM contact_center.record WHERE data IS NOT NULL'),
    ).toEqual([{ id: '0' }]);
  });

  it('are kept if they come again while they are forgotten', async () => {
    const again = database.dataSource.createQueryRunner();
    await again.startTransaction();
    await new RecordRepository(again.manager).keepRemovals('organization-0', [
      { type: 'ticket', id: '0', version: NOW },
    ]);
    const pruning = records.prune(NOW, AT_ONCE);
    await eventually(async () => (await statementsThatWait(database.dataSource)).length > 0);
    await again.commitTransaction();
    await again.release();
    await pruning;
    expect((await kept()).slice(0, 2)).toEqual([0, AT_ONCE]);
  });
});
