import { type Agent } from './records';

/** The agent, or null if it has no identifier. */
export function identified(agent: Agent | null): Agent | null {
  return agent && (agent.accountId !== null || agent.email !== '') ? agent : null;
}

/**
 * Agents are compared by account id or, if one of them has none, by email without case. Two activities without an agent are taken for
 * those of the same agent.
 */
export function isSameAgent(one: Agent | null, other: Agent | null): boolean {
  if (!one || !other) return one === other;
  if (one.accountId !== null && other.accountId !== null) return one.accountId === other.accountId;
  return one.email.toLowerCase() === other.email.toLowerCase();
}
