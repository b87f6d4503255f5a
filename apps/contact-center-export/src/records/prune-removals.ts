import { withOrganizationLock } from '@cxp/records';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { RecordRepository } from './record.repository';

/** How long a run waits for the intakes of an organization; the next run tries again. */
const LOCK_TIMEOUTS = { organizationLockMs: 1_500, lockMs: 1_500 };

/** Forgets removals that were stored before an instant, under the lock of each organization: intakes lock the same rows in another order. */
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
