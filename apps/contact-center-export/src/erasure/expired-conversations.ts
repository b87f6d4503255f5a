import { type Aged, type Expired, type ExpiringData, oldestFirst } from '@cxp/erasure';
import { withIntakeTurn } from '@cxp/record-intake';
import { Statement, textColumn } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { RecordRemovalRepository } from '../records/record-removal.repository';
import { ConversationErasure } from '../records/conversation-erasure';

const { name } = contactCenterDatabase;

/** How long a step waits for the intakes of its organization, and for anybody else's lock; it is tried again. */
const LOCK_TIMEOUTS = { turnMs: 1_500, lockMs: 1_500 };

/** Conversations that one search looks at. */
const LOOKED_AT = 40;

/**
 * The conversations with what tells their age. One that has not arrived is as old as what names it. Records arrive in any order, so that
 * it has expired after a day at the earliest.
 */
const SOURCES: readonly Aged[] = [
  { table: 'contact_center.conversation', createdAt: 'created_at', updatedAt: 'updated_at' },
  {
    table: 'contact_center.awaited_conversation',
    createdAt: 'last_at',
    updatedAt: `CASE WHEN arrived_at < now() - interval '1 day' THEN last_at ELSE 'infinity' END`,
  },
];

/** $1 organization, $2 ids, $3 the instant. */
const STILL_EXPIRED = new Statement({ id: textColumn('id') }, (list) =>
  SOURCES.map(
    ({ table, updatedAt }) => `SELECT ${list} FROM ${table}
      WHERE organization_id = $1 AND id = ANY ($2::text[]) AND ${updatedAt} < $3`,
  ).join(' UNION ALL '),
);

/** The conversations of area B that are older than they are kept, with all that belongs to them, whether they have arrived themselves or not. */
export class ExpiredConversations implements ExpiringData {
  readonly area = name;

  constructor(
    private readonly dataSource: DataSource,
    readonly keptDays: number,
  ) {}

  readonly find = oldestFirst(SOURCES, 'text', LOOKED_AT);

  async remove({ organizationId, ids }: Expired, before: Date): Promise<void> {
    const { dataSource } = this;
    for await (const some of new ConversationErasure(dataSource.manager).batches(organizationId, ids)) {
      await withIntakeTurn(
        dataSource,
        name,
        organizationId,
        async (manager) => {
          const expired = await STILL_EXPIRED.run(manager, [organizationId, some, before]);
          const removed = expired.map(({ id }) => id);
          await new RecordRemovalRepository(manager).removeConversations(organizationId, removed);
          await new Projection(manager).renew(organizationId, removed, 'expired');
        },
        LOCK_TIMEOUTS,
      );
    }
  }
}
