import type { ContactCenterRecord, RemovalOf } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { RECORD_TABLES } from './record-tables';

type Removal = RemovalOf<ContactCenterRecord>;
type RemovableType = Removal['type'];

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
    const conversationIds = idsOf('conversation');
    const touched = conversationIds.map(String);
    for (const [type, { name, isPart }] of Object.entries(RECORD_TABLES)) {
      const parent = isPart ? 'conversation_id' : 'id';
      touched.push(...(await this.delete(organizationId, name, 'id', idsOf(type as RemovableType), parent)));
      if (isPart) await this.delete(organizationId, name, parent, conversationIds, parent);
    }
    await this.keep(organizationId, removals);
    return touched;
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
    conversation: string,
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
