import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { SessionFilter } from './session-filter';

/** The agent that a row is filtered by: the session's or, for a ticket without a session, its assignee. */
export interface SessionAgent {
  /** In lower case; blank when unknown. */
  readonly email: string;
  readonly accountId: number | null;
}

@Injectable()
export class SessionAgentRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns undefined if the filter names no agent */
  async idsMatching(
    organizationId: string,
    { agentEmails, accountIds }: Pick<SessionFilter, 'agentEmails' | 'accountIds'>,
  ): Promise<number[] | undefined> {
    if (!agentEmails && !accountIds) return undefined;
    const agents = await this.manager.query<{ id: number }[]>(
      `SELECT agent_id AS id FROM contact_center.session_agent
       WHERE organization_id = $1
         AND ($2::text[] IS NULL OR email = ANY ($2)) AND ($3::bigint[] IS NULL OR account_id = ANY ($3))`,
      [organizationId, agentEmails, accountIds],
    );
    return agents.map(({ id }) => id);
  }

  /** @returns the id of each of the agents; agents that are new are stored */
  async idsOf(
    organizationId: string,
    agents: readonly SessionAgent[],
  ): Promise<(agent: SessionAgent) => number> {
    const wanted = [...new Map(agents.map((agent) => [keyOf(agent), agent])).values()];
    // Not ON CONFLICT DO NOTHING, which takes an id from the sequence for every agent that is there already.
    const found = await this.manager.query<{ agent_id: number; email: string; account_id: string | null }[]>(
      `WITH wanted AS (
         SELECT * FROM unnest($2::text[], $3::bigint[]) AS wanted (email, account_id)
       ), known AS (
         SELECT agent.agent_id, agent.email, agent.account_id
         FROM wanted JOIN contact_center.session_agent AS agent
           ON agent.organization_id = $1
           AND agent.email = wanted.email
           AND agent.account_id IS NOT DISTINCT FROM wanted.account_id
       ), added AS (
         INSERT INTO contact_center.session_agent (organization_id, email, account_id)
         SELECT $1, email, account_id FROM (TABLE wanted EXCEPT SELECT email, account_id FROM known) AS missing
         RETURNING agent_id, email, account_id
       )
       TABLE known UNION ALL TABLE added`,
      [organizationId, wanted.map(({ email }) => email), wanted.map(({ accountId }) => accountId)],
    );
    const ids = new Map(
      found.map(({ agent_id, email, account_id }) => [
        keyOf({ email, accountId: account_id === null ? null : Number(account_id) }),
        agent_id,
      ]),
    );
    return (agent) => ids.get(keyOf(agent))!;
  }
}

function keyOf({ email, accountId }: SessionAgent): string {
  return `${accountId} ${email}`;
}
