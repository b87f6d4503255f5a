import { type Aged, type Expired, type ExpiringData, oldestFirst, withOrganizationLock } from '@cxp/records';
import { inPieces, Statement, textColumn } from '@cxp/storage';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../records/projection';
import { RecordRepository } from '../records/record.repository';

const { name } = contactCenterDatabase;

/** Milliseconds; then the step is tried again. */
const LOCK_TIMEOUTS = { organizationLockMs: 1_500, lockMs: 1_500 };

/** A conversation has at most ten thousand records. */
const CONVERSATIONS_PER_STEP = 10;

const LOOKED_AT = 40;

/**
 * A conversation that has not arrived is as old as the records that name it. Records arrive in any order, so it expires after a
 * day at the earliest.
 */
const CONVERSATIONS: Aged = {
  table: 'contact_center.record',
  updatedAt: `CASE WHEN data IS NOT NULL OR stored_at < now() - interval '1 day' THEN at ELSE 'infinity' END`,
};

const STILL_EXPIRED = new Statement(
  { organizationId: 'text', ids: 'text[]', before: 'timestamptz' },
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM ${CONVERSATIONS.table}
    WHERE organization_id = $organizationId AND type = 'conversation' AND id = ANY ($ids) AND ${CONVERSATIONS.updatedAt} < $before`,
);

/** Expired conversations with their records, whether they have arrived or not. */
export class ExpiredConversations implements ExpiringData {
  constructor(private readonly dataSource: DataSource) {}

  readonly find = oldestFirst(CONVERSATIONS, 'text', LOOKED_AT);

  async remove({ organizationId, ids }: Expired, before: Date): Promise<void> {
    for (const some of inPieces(ids, CONVERSATIONS_PER_STEP)) {
      await withOrganizationLock(
        this.dataSource,
        name,
        organizationId,
        async (manager) => {
          const expired = await STILL_EXPIRED.run(manager, { organizationId, ids: some, before });
          const removed = expired.map(({ id }) => id);
          await new RecordRepository(manager).removeConversations(organizationId, removed);
          const projection = new Projection(manager);
          await projection.renew(organizationId, removed, 'expired');
          await projection.removeAgain(organizationId, removed, 'expired');
        },
        LOCK_TIMEOUTS,
      );
    }
  }
}

/**
 * Forgets removals stored before an instant. It takes the lock of each organization, because intakes lock the same rows in
 * another order. An organization whose lock is taken is left to the next run.
 */
export async function pruneRemovals(dataSource: DataSource, before: Date): Promise<void> {
  const organizations = await new RecordRepository(dataSource.manager).organizationsToPrune(before);
  for (const organizationId of organizations) {
    await withOrganizationLock(
      dataSource,
      name,
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
