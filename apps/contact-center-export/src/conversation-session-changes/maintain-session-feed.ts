import { versions } from 'node:process';
import type { DataSource } from 'typeorm';
import { ChangeRepository } from '@cxp/change-feed';
import { nullable, Statement, textColumn } from '@cxp/storage';
import { HumanScheduleRepository } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { RecordRemovalRepository } from '../records/record-removal.repository';

const { schema } = contactCenterDatabase;

const TIMEZONE_DATA = new Statement(
  { version: nullable(textColumn('timezone_data')) },
  (list) => `SELECT ${list} FROM ${schema}.change_epoch`,
);

const STORE_TIMEZONE_DATA = new Statement(
  {},
  `UPDATE ${schema}.change_epoch SET timezone_data = $1 WHERE timezone_data IS NULL OR timezone_data < $1`,
);

/** Area B's own part of the job that runs every minute. */
export async function maintainSessionFeed(dataSource: DataSource, prunedBefore: Date): Promise<void> {
  await new RecordRemovalRepository(dataSource.manager).prune(prunedBefore);
  await announceTimezoneData(dataSource, versions.tz ?? '');
}

/**
 * Business hours depend on the platform's timezone data. Newer data is announced to every organization that has a schedule; older
 * data is not, or two processes with different data would announce theirs in turn.
 * @param version of the data, for instance `2026a`
 */
export async function announceTimezoneData(dataSource: DataSource, version: string): Promise<void> {
  const { manager } = dataSource;
  const before = (await TIMEZONE_DATA.first(manager, []))!.version;
  if (before !== null && before >= version) return;
  // Nothing was computed with other data before the first version is stored.
  const organizations = before === null ? [] : await new HumanScheduleRepository(manager).organizations();
  // One at a time: the transaction holds the lock of an organization's numbers.
  for (const organizationId of organizations) {
    await dataSource.transaction(async (transaction) => {
      await new ChangeRepository(transaction, schema).addResync(organizationId, 'timezone_data');
    });
  }
  // At the end: a process that dies before it leaves all of it to the next run.
  await STORE_TIMEZONE_DATA.run(manager, [version]);
}
