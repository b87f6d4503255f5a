import type { EntityManager } from 'typeorm';

export class ConversationRepository {
  constructor(private readonly manager: EntityManager) {}

  /** The organizations that have a conversation. */
  async organizations(): Promise<string[]> {
    // One step of the index for each organization: to read it as a whole would take as long as there are conversations.
    const found = await this.manager.query<{ organization_id: string }[]>(
      `WITH RECURSIVE organization AS (
         SELECT min(organization_id) AS organization_id FROM contact_center.conversation
         UNION ALL
         SELECT (
           SELECT min(organization_id) FROM contact_center.conversation
           WHERE organization_id > organization.organization_id
         )
         FROM organization WHERE organization_id IS NOT NULL
       )
       SELECT organization_id FROM organization WHERE organization_id IS NOT NULL`,
    );
    return found.map(({ organization_id }) => organization_id);
  }

  /** At most `limit` ids after another one, in their order. */
  async idsAfter(organizationId: string, id: string, limit: number): Promise<string[]> {
    const found = await this.manager.query<{ id: string }[]>(
      'SELECT id FROM contact_center.conversation WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3',
      [organizationId, id, limit],
    );
    return found.map(({ id }) => id);
  }
}
