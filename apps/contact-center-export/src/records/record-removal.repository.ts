import type { ContactCenterRecord, RemovalOf } from '@cxp/platform-records';
import type { OnLine } from '@cxp/record-intake';
import { Statement } from '@cxp/storage';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { AwaitedConversationRepository } from './awaited-conversation.repository';
import { RECORD_TABLES } from './record-tables';

type Removal = OnLine<RemovalOf<ContactCenterRecord>>;

/** How many times each run of the job forgets. */
export const FORGOTTEN_AT_ONCE = 50_000;

/** $1 the instant before which times are forgotten. The outer condition keeps a time that is stored again while the statement waits for it. */
const PRUNE = new Statement(
  {},
  `DELETE FROM contact_center.record_removal
   WHERE recorded_at < $1 AND (organization_id, type, key) IN (
     SELECT organization_id, type, key FROM contact_center.record_removal
     WHERE recorded_at < $1 ORDER BY recorded_at LIMIT ${FORGOTTEN_AT_ONCE}
   )`,
);

/** $1 organization, $2 types, $3 keys, $4 times. */
const KEEP = new Statement(
  {},
  `INSERT INTO contact_center.record_removal AS stored (organization_id, type, key, updated_at)
   SELECT $1, type, key, max(updated_at)
   FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS removal (type, key, updated_at)
   GROUP BY type, key
   ON CONFLICT (organization_id, type, key) DO UPDATE
     SET updated_at = GREATEST(stored.updated_at, excluded.updated_at), recorded_at = excluded.recorded_at`,
);

/** Removes records, and keeps the time from which an upsert of a removed key counts again. */
@Injectable()
export class RecordRemovalRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * A conversation is removed with everything of it that has arrived.
   * @returns the conversations whose rows can have changed, each with the line of a record of it
   */
  async remove(organizationId: string, removals: readonly Removal[]): Promise<Map<string, number>> {
    const touched = new Map<string, number>();
    for (const [type, table] of Object.entries(RECORD_TABLES)) {
      const removed = removals.filter((removal) => removal.type === type);
      const lines = new Map(removed.map(({ data, line }) => [String(data.id), line]));
      if (type === 'conversation') {
        await this.removeConversations(organizationId, [...lines.keys()]);
        for (const [id, line] of lines) touched.set(id, line);
      } else {
        const records = await table.delete(this.manager, organizationId, [...lines.keys()]);
        for (const { conversationId, id } of records) touched.set(conversationId, lines.get(id)!);
      }
    }
    await this.keep(organizationId, removals);
    return touched;
  }

  /** Removes conversations with everything of them that has arrived. Their rows have to be projected again. */
  async removeConversations(organizationId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const table of Object.values(RECORD_TABLES)) await table.deleteOf(this.manager, organizationId, ids);
    await new AwaitedConversationRepository(this.manager).delete(organizationId, ids);
  }

  /** Deletes times that were recorded before an instant, the oldest first. What is left is left to the next run. */
  async prune(before: Date): Promise<void> {
    await PRUNE.run(this.manager, [before]);
  }

  private async keep(organizationId: string, removals: readonly Removal[]): Promise<void> {
    const kept = removals.filter(({ data }) => data.updatedAt);
    if (kept.length === 0) return;
    await KEEP.run(this.manager, [
      organizationId,
      kept.map(({ type }) => type),
      kept.map(({ data }) => String(data.id)),
      // Milliseconds are what is stored; anything finer is cut off, as it is for an upsert.
      kept.map(({ data }) => new Date(data.updatedAt!)),
    ]);
  }
}
