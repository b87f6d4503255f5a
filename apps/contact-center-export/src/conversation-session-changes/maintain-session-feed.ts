import { versions } from 'node:process';
import type { DataSource } from 'typeorm';
import { ChangeRepository } from '@cxp/change-feed';
import { HumanScheduleRepository } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { RecordRemovalRepository } from '../records/record-removal.repository';

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
  await dataSource.transaction(async (manager) => {
    const { schema } = contactCenterDatabase;
    const [[known]] = await manager.query<[[{ before: string | null } | undefined], number]>(
      `UPDATE ${schema}.change_epoch AS epoch SET timezone_data = $1
       FROM (SELECT timezone_data FROM ${schema}.change_epoch FOR UPDATE) AS previous
       WHERE previous.timezone_data IS NULL OR previous.timezone_data < $1
       RETURNING previous.timezone_data AS before`,
      [version],
    );
    // Nothing was computed with other data before the first version is stored.
    if (!known?.before) return;
    const changes = new ChangeRepository(manager, schema);
    for (const organizationId of await new HumanScheduleRepository(manager).organizations()) {
      await changes.addResync(organizationId, 'timezone_data');
    }
  });
}
