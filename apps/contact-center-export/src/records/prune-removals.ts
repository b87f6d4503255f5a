import { withOrganizationLock } from '@cxp/records';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { RecordRepository } from './record.repository';

/** A run that cannot get a lock leaves the organization to the next run. */
const LOCK_TIMEOUTS = { organizationLockMs: 1_500, lockMs: 1_500 };

/**
 * Forgets removals stored before an instant. It takes the lock of each organization, because intakes lock the same rows in
 * another order.
 */
export async function pruneRemovals(dataSource: DataSource, before: Date): Promise<void> {
  const organizations = await new RecordRepository(dataSource.manager).organizationsToPrune(before);
  for (const organizationId of organizations) {
    await withOrganizationLock(
      dataSource,
      contactCenterDatabase.name,
      organizationId,
      (manager) => new RecordRepository(manager).prune(organizationId, before),
      LOCK_TIMEOUTS,
    ).catch((error: unknown) => {
      new Logger(pruneRemovals.name).warn(
        `removals of an organization are kept for another minute: ${String(error)}`,
      );
    });
  }
}
