import { type Aged, type Expired, type ExpiringData, oldestFirst } from '@cxp/erasure';
import { withOrganizationLock } from '@cxp/records';
import { inPieces, Statement, textColumn } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { RecordRepository } from '../records/record.repository';

const { name } = contactCenterDatabase;

/** How long a step waits for the intakes of its organization, and for other locks; it is tried again. */
const LOCK_TIMEOUTS = { organizationLockMs: 1_500, lockMs: 1_500 };

/** What one step removes: a conversation has ten thousand records at most. */
const CONVERSATIONS_PER_STEP = 10;

/** Conversations that one search looks at. */
const LOOKED_AT = 40;

/**
 * The conversations. One that has not arrived is as old as the records that name it. Records arrive in any order, so it expires after a day at the
 * earliest.
 */
const CONVERSATIONS: Aged = {
  table: 'contact_center.record',
  createdAt: 'created_at',
  updatedAt: `CASE WHEN data IS NOT NULL OR stored_at < now() - interval '1 day' THEN at ELSE 'infinity' END`,
};

/** $1 organization, $2 ids, $3 the instant. */
const STILL_EXPIRED = new Statement(
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM ${CONVERSATIONS.table}
    WHERE organization_id = $1 AND type = 'conversation' AND id = ANY ($2::text[]) AND ${CONVERSATIONS.updatedAt} < $3`,
);

/** The conversations of area B that are older than they are kept, with all that belongs to them, whether they have arrived themselves or not. */
export class ExpiredConversations implements ExpiringData {
  constructor(
    private readonly dataSource: DataSource,
    readonly keptDays: number,
  ) {}

  readonly find = oldestFirst(CONVERSATIONS, 'text', LOOKED_AT);

  async remove({ organizationId, ids }: Expired, before: Date): Promise<void> {
    for (const some of inPieces(ids, CONVERSATIONS_PER_STEP)) {
      await withOrganizationLock(
        this.dataSource,
        name,
        organizationId,
        async (manager) => {
          const expired = await STILL_EXPIRED.run(manager, [organizationId, some, before]);
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
