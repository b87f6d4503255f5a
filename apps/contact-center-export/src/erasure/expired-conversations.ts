import { type Expired, type ExpiringData } from '@cxp/erasure';
import { withIntakeTurn } from '@cxp/record-intake';
import { booleanColumn, Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { RecordRemovalRepository } from '../records/record-removal.repository';
import { ConversationErasure } from '../records/conversation-erasure';

const { name } = contactCenterDatabase;

/** How long a step waits for the intakes of its organization, and for anybody else's lock; it is tried again. */
const LOCK_TIMEOUTS = { turnMs: 1_500, lockMs: 1_500 };

/** Conversations that one search looks at. */
const LOOKED_AT = 40;

/** Where a search begins: after a conversation, in the order of organizations, and then of age. */
interface Place {
  readonly organizationId: string;
  readonly createdAt: string;
  readonly id: string;
}

/**
 * SQL: the conversations with what tells their age. One that has not arrived is as old as what names it. Records arrive in any order, so that
 * it has expired after a day at the earliest.
 */
const STORED = '(SELECT *, TRUE AS is_settled FROM contact_center.conversation) AS stored';
const AWAITED = `(
  SELECT organization_id, id, last_at AS created_at, last_at AS updated_at,
    arrived_at < now() - interval '1 day' AS is_settled
  FROM contact_center.awaited_conversation
) AS awaited`;

/**
 * The oldest conversations of an organization, after one. $1 organization, $2 and $3 the one before, $4 the instant before which conversations
 * have expired: one that was created later has not. $5 limit.
 */
const OLDEST = new Statement(
  {
    id: textColumn('id'),
    createdAt: textColumn('created_at'),
    hasExpired: booleanColumn('updated_at < $4::timestamptz AND is_settled'),
  },
  (list) => `SELECT ${list} FROM (${[STORED, AWAITED].map(oldestOf).join(' UNION ALL ')}) AS oldest
    ORDER BY oldest.created_at, oldest.id LIMIT $5`,
);

/** The limit is within, too: then each is read in the order of its index. */
function oldestOf(conversations: string): string {
  return `(
    SELECT id, created_at, updated_at, is_settled FROM ${conversations}
    WHERE organization_id = $1 AND (created_at, id) > ($2::timestamptz, $3) AND created_at < $4::timestamptz
    ORDER BY organization_id, created_at, id LIMIT $5
  )`;
}

/** $1 the organization before. */
const NEXT_ORGANIZATION = new Statement(
  { id: textColumn('min(organization_id)') },
  (list) => `SELECT ${list} FROM (
      SELECT organization_id FROM contact_center.conversation
      UNION ALL
      SELECT organization_id FROM contact_center.awaited_conversation
    ) AS conversation
    WHERE organization_id > $1
    HAVING min(organization_id) IS NOT NULL`,
);

/** $1 organization, $2 ids, $3 the instant. */
const STILL_EXPIRED = new Statement({ id: textColumn('id') }, (list) =>
  [STORED, AWAITED]
    .map(
      (conversations) => `SELECT ${list} FROM ${conversations}
        WHERE organization_id = $1 AND id = ANY ($2::text[]) AND updated_at < $3 AND is_settled`,
    )
    .join(' UNION ALL '),
);

/** The conversations of area B that are older than they are kept, with all that belongs to them, whether they have arrived themselves or not. */
export class ExpiredConversations implements ExpiringData {
  readonly area = name;

  constructor(
    private readonly dataSource: DataSource,
    readonly keptDays: number,
  ) {}

  async find(manager: EntityManager, before: Date, after: string | undefined): Promise<Expired | undefined> {
    const place = after === undefined ? undefined : (JSON.parse(after) as Place);
    for (let from = place ?? (await this.beginningAfter(manager, '')); from;) {
      const { organizationId, createdAt, id } = from;
      const oldest = await OLDEST.run(manager, [organizationId, createdAt, id, before, LOOKED_AT]);
      if (oldest.length > 0) return this.some(manager, organizationId, oldest);
      from = await this.beginningAfter(manager, organizationId);
    }
    return undefined;
  }

  async remove({ organizationId, ids }: Expired, before: Date): Promise<void> {
    await withIntakeTurn(
      this.dataSource,
      name,
      organizationId,
      async (manager) => {
        const expired = await STILL_EXPIRED.run(manager, [organizationId, ids, before]);
        const removed = expired.map(({ id }) => id);
        await new RecordRemovalRepository(manager).removeConversations(organizationId, removed);
        await new Projection(manager).renew(organizationId, () => [removed], 'expired');
      },
      LOCK_TIMEOUTS,
    );
  }

  /** As many of those that were looked at as one transaction removes. */
  private async some(
    manager: EntityManager,
    organizationId: string,
    oldest: readonly { readonly id: string; readonly createdAt: string; readonly hasExpired: boolean }[],
  ): Promise<Expired> {
    const expired = oldest.filter(({ hasExpired }) => hasExpired).map(({ id }) => id);
    const ids = await new ConversationErasure(manager).first(organizationId, expired);
    const isAll = ids.length === expired.length;
    const last = isAll ? oldest.at(-1)! : oldest.find(({ id }) => id === ids.at(-1))!;
    const place: Place = { organizationId, createdAt: last.createdAt, id: last.id };
    return { organizationId, ids, place: JSON.stringify(place) };
  }

  private async beginningAfter(manager: EntityManager, organizationId: string): Promise<Place | undefined> {
    const next = await NEXT_ORGANIZATION.first(manager, [organizationId]);
    return next && { organizationId: next.id, createdAt: '-infinity', id: '' };
  }
}
