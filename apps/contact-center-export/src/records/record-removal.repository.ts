import type { ContactCenterRecord, RemovalOf } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';

type Removal = RemovalOf<ContactCenterRecord>;
type RemovableType = Removal['type'];

/** The tables of records that belong to a conversation, by record type. */
const PARTS: Readonly<Record<Exclude<RemovableType, 'conversation'>, string>> = {
  activity: 'contact_center.activity',
  message: 'contact_center.message',
  ticket: 'contact_center.ticket',
  conversation_survey: 'contact_center.conversation_survey',
};

/** Removes records, and keeps the time from which an upsert of a removed key counts again. */
@Injectable()
export class RecordRemovalRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * A conversation is removed with everything of it that has arrived.
   * @returns the ids of the conversations whose rows can have changed
   */
  async remove(organizationId: string, removals: readonly Removal[]): Promise<string[]> {
    const idsOf = (wanted: RemovableType) =>
      removals.filter(({ type }) => type === wanted).map(({ data }) => data.id);
    const touched: string[] = [];
    for (const [type, table] of Object.entries(PARTS)) {
      touched.push(...(await this.delete(organizationId, table, 'id', idsOf(type as RemovableType))));
    }
    const conversationIds = idsOf('conversation');
    await this.delete(organizationId, 'contact_center.conversation', 'id', conversationIds, 'id');
    for (const table of Object.values(PARTS)) {
      await this.delete(organizationId, table, 'conversation_id', conversationIds);
    }
    await this.keep(organizationId, removals);
    return [...touched, ...conversationIds.map(String)];
  }

  /** Deletes the times that were recorded before an instant. */
  async prune(before: Date): Promise<void> {
    await this.manager.query('DELETE FROM contact_center.record_removal WHERE recorded_at < $1', [before]);
  }

  private async delete(
    organizationId: string,
    table: string,
    column: string,
    values: readonly (string | number)[],
    conversation = 'conversation_id',
  ): Promise<string[]> {
    if (values.length === 0) return [];
    const [deleted] = await this.manager.query<[{ id: string }[], number]>(
      `DELETE FROM ${table} WHERE organization_id = $1 AND ${column} = ANY ($2) RETURNING ${conversation} AS id`,
      [organizationId, values],
    );
    return deleted.map(({ id }) => id);
  }

  private async keep(organizationId: string, removals: readonly Removal[]): Promise<void> {
    const kept = removals.filter(({ data }) => data.updatedAt);
    if (kept.length === 0) return;
    await this.manager.query(
      `INSERT INTO contact_center.record_removal AS stored (organization_id, type, key, updated_at)
       SELECT $1, type, key, max(updated_at)
       FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS removal (type, key, updated_at)
       GROUP BY type, key
       ON CONFLICT (organization_id, type, key) DO UPDATE
         SET updated_at = GREATEST(stored.updated_at, excluded.updated_at), recorded_at = excluded.recorded_at`,
      [
        organizationId,
        kept.map(({ type }) => type),
        kept.map(({ data }) => String(data.id)),
        // Milliseconds are what is stored; anything finer is cut off, as it is for an upsert.
        kept.map(({ data }) => new Date(data.updatedAt!)),
      ],
    );
  }
}

/** SQL: the removal that is kept of a key of the organization $1, for a join. */
export function removalOf(type: 'conversation' | 'ticket', key: string): string {
  return `LATERAL (
    SELECT updated_at FROM contact_center.record_removal
    WHERE organization_id = $1 AND type = '${type}' AND key = ${key}::text
  ) AS removal`;
}
