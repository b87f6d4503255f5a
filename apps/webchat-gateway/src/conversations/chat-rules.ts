import type { ActivityData } from '@cxp/platform-records';
import type { Agent, SenderType } from '../chat-protocol/shapes';

/** A conversation that is open has an agent who attends to it, or none. */
export const STATES = ['unattended', 'attended', 'closed'] as const;
export type State = (typeof STATES)[number];

/** What happens in a conversation, by what it can change. */
export const CAUSES = [
  'customerWrites',
  'platformWrites',
  'agentTakes',
  'routed',
  'ends',
  'askedToRate',
  'noted',
  'reads',
  'rates',
] as const;
export type Cause = (typeof CAUSES)[number];

const NOTHING_ELSE = { platformWrites: 'same', noted: 'same', reads: 'same', rates: 'same' } as const;

/** The state after what happens, by the state before it. */
export const TRANSITIONS: Record<State, Record<Cause, State | 'same'>> = {
  unattended: {
    ...NOTHING_ELSE,
    customerWrites: 'same',
    agentTakes: 'attended',
    routed: 'same',
    ends: 'closed',
    askedToRate: 'same',
  },
  attended: {
    ...NOTHING_ELSE,
    customerWrites: 'same',
    agentTakes: 'attended',
    routed: 'unattended',
    ends: 'closed',
    askedToRate: 'unattended',
  },
  closed: {
    ...NOTHING_ELSE,
    customerWrites: 'unattended',
    agentTakes: 'attended',
    routed: 'unattended',
    ends: 'same',
    askedToRate: 'same',
  },
};

/** The actions that have a meaning for a conversation. Those that give it to an agent route it if they name none, or a service account. */
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

/** Who acted, as area B's records have it. */
export type ActingAgent = NonNullable<ActivityData['agent']>;

/** An activity's cause, and the agent who attends to the conversation if it is attended afterwards. */
export function causeOfActivity(action: string, agent: ActingAgent | null): { cause: Cause; agent: Agent } {
  const cause = Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : 'noted';
  if (cause !== 'agentTakes') return { cause, agent: null };
  if (!agent || agent.isServiceAccount) return { cause: 'routed', agent: null };
  return { cause, agent: { name: agent.name ?? null } };
}

export function causeOfMessage(senderType: SenderType): Cause {
  return senderType === 'customer' ? 'customerWrites' : 'platformWrites';
}

/** The state after a cause, by the state before it. */
export function nextStates(cause: Cause): Record<State, State> {
  const next = STATES.map((state) => {
    const to = TRANSITIONS[state][cause];
    return [state, to === 'same' ? state : to] as const;
  });
  return Object.fromEntries(next) as Record<State, State>;
}
