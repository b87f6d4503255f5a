import type { TicketData } from '@cxp/records';
import type { Instant } from '../instant';

/** The order of the arrays carries no meaning. */
export interface ConversationRecords {
  readonly conversation: Conversation;
  readonly activities: readonly ConversationActivity[];
  readonly messages: readonly ConversationMessage[];
  readonly tickets: readonly Ticket[];
  readonly surveys: readonly ConversationSurvey[];
}

export interface Conversation {
  readonly id: string;
  readonly createdAt: Instant;
  readonly closedAt: Instant | null;
  readonly customerFilumId: string;
  readonly customerName: string;
  readonly customerPhone: string;
  readonly customerEmail: string;
}

export interface ConversationActivity {
  readonly id: string;
  readonly action: string;
  readonly occurredAt: Instant;
  /** The activity's place among all that arrived; it orders equal times. */
  readonly arrival: number;
  readonly agent: AgentIdentity | null;
}

export interface AgentIdentity {
  readonly accountId: number | null;
  readonly email: string;
  readonly name: string;
  readonly isServiceAccount: boolean;
}

export interface ConversationMessage {
  readonly id: string;
  readonly senderType: string;
  readonly sentAt: Instant;
}

/** An omitted field is null or blank on the ticket's rows. */
export type Ticket = Omit<TicketData, keyof TicketTimes | 'conversationId' | 'assigneeAccountId'> &
  TicketTimes & { readonly assigneeAccountId: number | null };

interface TicketTimes {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly dueDate: Instant | null;
  readonly assignedAt: Instant | null;
  readonly resolvedAt: Instant | null;
}

export interface ConversationSurvey {
  readonly id: string;
  readonly rating: number | null;
  readonly resolution: number | null;
  readonly feedback: string;
  readonly submittedAt: Instant;
  /** The survey's place among all that arrived; it orders equal times. */
  readonly arrival: number;
}

const OPENING_ACTIONS = ['assign', 'route_back_to_human', 'human_take_over'] as const;

const OTHER_ACTIONS = [
  'route_to_ai',
  'route_back_to_ai',
  'route_to_human',
  'route_to_rating',
  'end_conversation',
  'timed_out',
] as const;

/** Activities with another action do not change rows and are not kept. */
export const SESSION_ACTIONS = [...OPENING_ACTIONS, ...OTHER_ACTIONS];

export type OpeningAction = (typeof OPENING_ACTIONS)[number];
export type SessionAction = (typeof SESSION_ACTIONS)[number];
export type SessionActivity = ConversationActivity & { readonly action: SessionAction };

const sessionActions: ReadonlySet<string> = new Set(SESSION_ACTIONS);
const openingActions: ReadonlySet<string> = new Set(OPENING_ACTIONS);

export function isOpening(action: SessionAction): action is OpeningAction {
  return openingActions.has(action);
}

export function inReadingOrder(activities: readonly ConversationActivity[]): SessionActivity[] {
  return activities
    .filter((activity): activity is SessionActivity => sessionActions.has(activity.action))
    .sort((a, b) => a.occurredAt - b.occurredAt || a.arrival - b.arrival);
}

export function firstOf(activities: readonly SessionActivity[], ...actions: SessionAction[]): number | null {
  return activities.find(({ action }) => actions.includes(action))?.occurredAt ?? null;
}
