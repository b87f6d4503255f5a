import { Statement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/** A conversation whose own record has not arrived. */
export interface AwaitedConversation {
  readonly id: string;
  /** The latest time that its records tell of. */
  readonly lastAt: Date;
}

/** $1 organization, $2 ids, $3 times. */
const ADD = new Statement(
  {},
  `INSERT INTO contact_center.awaited_conversation AS awaited (organization_id, id, last_at)
   SELECT $1, id, last_at FROM unnest($2::text[], $3::timestamptz[]) AS named (id, last_at)
   ON CONFLICT (organization_id, id) DO UPDATE
     SET last_at = GREATEST(awaited.last_at, excluded.last_at), arrived_at = excluded.arrived_at`,
);

/** $1 organization, $2 ids. */
const DELETE = new Statement(
  {},
  'DELETE FROM contact_center.awaited_conversation WHERE organization_id = $1 AND id = ANY ($2::text[])',
);

/** The conversations that stored records name and that are not stored themselves. */
export class AwaitedConversationRepository {
  constructor(private readonly manager: EntityManager) {}

  async add(organizationId: string, awaited: readonly AwaitedConversation[]): Promise<void> {
    if (awaited.length === 0) return;
    const times = awaited.map(({ lastAt }) => lastAt);
    await ADD.run(this.manager, [organizationId, awaited.map(({ id }) => id), times]);
  }

  async delete(organizationId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await DELETE.run(this.manager, [organizationId, ids]);
  }
}
