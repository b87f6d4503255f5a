import { DAY_MS, type Instant } from '../business-hours';
import type { SessionEndReason } from '../derivation';
import type { ConversationSessionsQuery, WindowQuery } from './conversation-session.dto';

/** Which rows of an organization; what is not given filters nothing. */
export interface SessionFilter {
  /** Of the conversation's updatedAt. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
  /** In lower case. */
  readonly agentEmails?: readonly string[];
  /** Integers, as texts: a bigint does not fit a number. */
  readonly accountIds?: readonly string[];
  readonly endReasons?: readonly SessionEndReason[];
}

/** Reads the query's dates as whole days in its timezone. */
export function sessionFilter(query: WindowQuery & Partial<ConversationSessionsQuery>): SessionFilter {
  const { startDate, endDate, timezone } = query;
  return {
    startsAt: timezone.startOf(Date.parse(startDate) / DAY_MS),
    endsAt: timezone.startOf(Date.parse(endDate) / DAY_MS + 1),
    agentEmails: query.sessionAgentEmails?.map((email) => email.toLowerCase()),
    accountIds: query.assigneeAccountIds,
    endReasons: query.sessionEndReasons,
  };
}
