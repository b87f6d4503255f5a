import { withOrganizationLock } from '@cxp/records';
import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { record } from '../../test/builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { contactCenterDatabase } from '../database';
import { pruneRemovals } from '../erasure/retention';
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
    // The first is the oldest, the last is not older than `NOW`.
    await database.dataSource.query(
      `INSERT INTO contact_center.record (organization_id, type, id, removed_version, removed_at)
       SELECT 'organization-0', 'ticket', n::text, $1, $1::timestamptz - (${OLD} - n) * interval '1 second'
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
    await records.prune('organization-0', NOW, AT_ONCE);
    expect((await kept())[0]).toBe(AT_ONCE);
    await records.prune('organization-0', NOW, AT_ONCE);
    expect(await kept()).toEqual([OLD]);
    expect(
      await database.dataSource.query('SELECT id FROM contact_center.record WHERE data IS NOT NULL'),
    ).toEqual([{ id: '0' }]);
  });

  it('wait for the intake that may keep them again, and hold up no other organization', async () => {
    const { dataSource } = database;
    await database.dataSource.query(
      `INSERT INTO contact_center.record (organization_id, type, id, removed_version, removed_at)
       SELECT 'organization-1', 'ticket', 'x', $1, $1::timestamptz - interval '1 day'`,
      [NOW],
    );
    const pruning = withOrganizationLock(
      dataSource,
      contactCenterDatabase.name,
      'organization-0',
      async (manager) => {
        await new RecordRepository(manager).keepRemovals('organization-0', [
          { type: 'ticket', id: '502', version: NOW.toISOString() },
        ]);
        const pruned = pruneRemovals(dataSource, NOW);
        await eventually(async () => (await statementsThatWait(dataSource)).length > 0);
        // Keys in another order than that in which they are pruned: together they would deadlock.
        await new RecordRepository(manager).keepRemovals('organization-0', [
          { type: 'ticket', id: '501', version: NOW.toISOString() },
        ]);
        return { pruned };
      },
    );
    await (
      await pruning
    ).pruned;
    const left: { id: string }[] = await dataSource.query(
      'SELECT id FROM contact_center.record WHERE removed_at IS NOT NULL ORDER BY id',
    );
    expect(left.map(({ id }) => id)).toEqual(['501', '502', String(OLD)]);
  });
});
