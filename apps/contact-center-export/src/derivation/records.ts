import type { TicketData } from '@cxp/platform-records';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** Everything that is known of one conversation. The order of the arrays carries no meaning. */
export interface ConversationRecords {
  readonly conversation: Conversation;
  readonly activities: readonly Activity[];
  readonly messages: readonly Message[];
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

export interface Activity {
  readonly id: string;
  readonly action: string;
  readonly occurredAt: Instant;
  /** Place of the activity's first arrival among all that arrived; settles the order of equal times. */
  readonly arrival: number;
  readonly agent: Agent | null;
}

export interface Agent {
  readonly accountId: number | null;
  readonly email: string;
  readonly name: string;
  readonly isServiceAccount: boolean;
}

export interface Message {
  readonly id: string;
  readonly senderType: string;
  readonly sentAt: Instant;
}

/** A field that a ticket omits is null or blank on its rows. */
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
  /** Place of the survey's first arrival among all that arrived; settles the order of equal times. */
  readonly arrival: number;
}
