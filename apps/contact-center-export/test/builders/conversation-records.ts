import {
  type ConversationActivity,
  type AgentIdentity,
  type Conversation,
  type ConversationRecords,
  type ConversationSessionRow,
  type ConversationSurvey,
  type ConversationMessage,
  type Ticket,
  deriveRows,
} from '../../src/derivation';
import type { Instant } from '../../src/instant';

const MINUTE = 60_000;
const START = Date.parse('2026-01-05T02:00:00.000Z');

/** The instant so many minutes into the conversation of a case. */
export function minute(count: number): Instant {
  return START + count * MINUTE;
}

/** The reverse of `minute`, for dates and instants alike. */
export function minutesIn(at: Instant | string | null): number | null {
  return at === null ? null : (new Date(at).getTime() - START) / MINUTE;
}

export function agent(accountId: number | null, email: string, name = ''): AgentIdentity {
  return { accountId, email, name, isServiceAccount: false };
}

export const ann = agent(1, 'ann@example.com', 'Ann');
export const bob = agent(2, 'bob@example.com', 'Bob');
export const serviceAccount: AgentIdentity = {
  ...agent(9, 'router@example.com', 'Router'),
  isServiceAccount: true,
};

/** An activity of a case: minute, action, agent. They arrive in the order in which they are written. */
export type Step = readonly [minute: number, action: string, agent?: AgentIdentity | null];

export function activities(...steps: Step[]): ConversationActivity[] {
  return steps.map(([at, action, agent = null], arrival) => ({
    id: `a-${arrival}`,
    action,
    occurredAt: minute(at),
    arrival,
    agent,
  }));
}

const AGENTS: Readonly<Record<string, AgentIdentity>> = { ann, bob, router: serviceAccount };

/** Activities as text: `2 route_to_human, 5 assign ann`. */
export function steps(text: string): Step[] {
  return text.split(', ').map((step) => {
    const [at, action, name] = step.split(' ');
    return [Number(at), action!, name === undefined ? null : AGENTS[name]];
  });
}

/** Messages of agents at these minutes. */
export function agentMessages(...minutes: number[]): ConversationMessage[] {
  return minutes.map((at, n) => ({ id: `m-${n}`, senderType: 'agent', sentAt: minute(at) }));
}

export function ticket(given: Partial<Ticket> = {}): Ticket {
  return {
    id: 1,
    assigneeAccountId: ann.accountId,
    createdAt: minute(0),
    updatedAt: minute(0),
    subject: '',
    description: '',
    status: '',
    priority: '',
    dueDate: null,
    assignedAt: null,
    resolvedAt: null,
    installedSourceId: null,
    installedSourceName: '',
    channelType: '',
    customFields: {},
    ...given,
  };
}

export function survey(
  given: Partial<ConversationSurvey> & Pick<ConversationSurvey, 'submittedAt'>,
): ConversationSurvey {
  return { id: 's-1', rating: null, resolution: null, feedback: '', arrival: 0, ...given };
}

export function conversation(given: Partial<Conversation> = {}): Conversation {
  return {
    id: 'c-1',
    createdAt: minute(0),
    closedAt: null,
    customerFilumId: '',
    customerName: '',
    customerPhone: '',
    customerEmail: '',
    ...given,
  };
}

export function records(given: Partial<ConversationRecords>): ConversationRecords {
  return { conversation: conversation(), activities: [], messages: [], tickets: [], surveys: [], ...given };
}

/** All rows that are derived of a conversation. */
export function rowsOf(given: ConversationRecords): ConversationSessionRow[] {
  return [...deriveRows(given)].map(({ row }) => row);
}
