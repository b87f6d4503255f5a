import { type Agent } from './records';

/** The agent, or null when it carries nothing that tells who it is. */
export function identified(agent: Agent | null): Agent | null {
  return agent && (agent.accountId !== null || agent.email !== '') ? agent : null;
}

/**
 * Of two identified agents: they are told by account id, or, where one has none, by email without case. Nobody is the
 * same as nobody.
 */
export function isSameAgent(one: Agent | null, other: Agent | null): boolean {
  if (!one || !other) return one === other;
  if (one.accountId !== null && other.accountId !== null) return one.accountId === other.accountId;
  return one.email.toLowerCase() === other.email.toLowerCase();
}
