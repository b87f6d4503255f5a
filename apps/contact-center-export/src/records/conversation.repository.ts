import { organizationsIn, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/** $1 organization, $2 the id before the first, $3 limit. */
const IDS_AFTER = new Statement(
  { id: textColumn('id') },
  (list) =>
    `SELECT ${list} FROM contact_center.conversation WHERE organization_id = $1 AND id > $2 ORDER BY conversation.id LIMIT $3`,
);

export class ConversationRepository {
  constructor(private readonly manager: EntityManager) {}

  /** The organizations that have a conversation. */
  organizations(): Promise<string[]> {
    return organizationsIn(this.manager, 'contact_center.conversation');
  }

  /** At most `limit` ids after another one, in their order. */
  async idsAfter(organizationId: string, after: string, limit: number): Promise<string[]> {
    return (await IDS_AFTER.run(this.manager, [organizationId, after, limit])).map(({ id }) => id);
  }
}
