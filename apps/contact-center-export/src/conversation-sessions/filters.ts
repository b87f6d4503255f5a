import type { ConversationSessionRow } from '../derivation';
import type { Instant } from '../instant';

/** A row must have one of the values of each filter. An omitted filter accepts all rows. */
export interface FilterValues {
  /** In lower case. */
  readonly sessionAgentEmails?: readonly string[];
  readonly assigneeAccountIds?: readonly string[];
  readonly sessionEndReasons?: readonly string[];
}

export interface SessionFilter extends FilterValues {
  /** Compared with `updatedAt` of the conversation. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

/** The index of the export's order includes these columns. */
export const FILTER_COLUMNS = ['agent_email', 'account_id', 'session_end_reason'] as const;

export type FilterColumns = Readonly<Record<(typeof FILTER_COLUMNS)[number], string | number | null>>;

export function filterColumnsOf(
  session: ConversationSessionRow,
  ticketAssigneeAccountId: number | null,
): FilterColumns {
  return {
    agent_email: session.sessionAgentEmail.toLowerCase(),
    // A matched ticket's assignee is the session's agent, so a row has one account.
    account_id: session.sessionIndex === null ? ticketAssigneeAccountId : session.sessionAgentAccountId,
    session_end_reason: session.sessionEndReason,
  };
}

export function conditionsOf(
  { sessionAgentEmails, assigneeAccountIds, sessionEndReasons }: FilterValues,
  first: number,
): { readonly text: string; readonly values: readonly (readonly string[])[] } {
  const values: (readonly string[])[] = [];
  const isOneOf = (column: string, type: string, some: readonly string[] | undefined) =>
    some ? `AND ${column} = ANY ($${first - 1 + values.push(some)}::${type}[])` : '';
  const conditions = [
    isOneOf('agent_email', 'text', sessionAgentEmails),
    isOneOf('account_id', 'bigint', assigneeAccountIds),
    isOneOf('session_end_reason', 'text', sessionEndReasons),
  ];
  return { text: conditions.join(' '), values };
}

export function hasFilters({
  sessionAgentEmails,
  assigneeAccountIds,
  sessionEndReasons,
}: FilterValues): boolean {
  return Boolean(sessionAgentEmails ?? assigneeAccountIds ?? sessionEndReasons);
}
