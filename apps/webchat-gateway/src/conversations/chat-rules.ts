import type { ActivityData } from '@cxp/records';
import type { Agent, SenderType } from '../chat-protocol/shapes';

export type State = 'unattended' | 'attended' | 'closed';

/**
 * The state after a cause, by the state before. An event carries its row to `append_events`, which derives the state before
 * from `closed_at` and `agent`.
 */
export const NEXT_STATES = {
  customerWrites: { unattended: 'unattended', attended: 'attended', closed: 'unattended' },
  agentTakes: { unattended: 'attended', attended: 'attended', closed: 'attended' },
  routed: { unattended: 'unattended', attended: 'unattended', closed: 'unattended' },
  ends: { unattended: 'closed', attended: 'closed', closed: 'closed' },
  askedToRate: { unattended: 'unattended', attended: 'unattended', closed: 'closed' },
  noted: { unattended: 'unattended', attended: 'attended', closed: 'closed' },
} as const satisfies Record<string, Record<State, State>>;
export type Cause = keyof typeof NEXT_STATES;

/** `agentTakes` counts as `routed` if the action names no agent, or a service account. */
const ACTIONS: Readonly<Record<string, Cause>> = {
  route_to_ai: 'routed',
  route_back_to_ai: 'routed',
  route_to_human: 'routed',
  route_back_to_human: 'agentTakes',
  assign: 'agentTakes',
  human_take_over: 'agentTakes',
  end_conversation: 'ends',
  timed_out: 'ends',
  route_to_rating: 'askedToRate',
};

export type ActingAgent = NonNullable<ActivityData['agent']>;

/** @returns the cause and the conversation's agent, if the new state is attended */
export function causeOfActivity(action: string, agent: ActingAgent | null): { cause: Cause; agent: Agent } {
  const cause = Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : 'noted';
  if (cause !== 'agentTakes') return { cause, agent: null };
  if (!agent || agent.isServiceAccount) return { cause: 'routed', agent: null };
  return { cause, agent: { name: agent.name ?? null } };
}

export function causeOfMessage(senderType: SenderType): Cause {
  return senderType === 'customer' ? 'customerWrites' : 'noted';
}
