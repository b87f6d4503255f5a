import { DAY_MS, type Instant } from '../business-hours';
import type { SessionEndReason } from '../derivation';
import type { ConversationSessionsQuery } from './conversation-session.query';

/** Which rows are asked for. A filter that is undefined lets every row through. */
export interface SessionFilter {
  /** The conversation's updatedAt, from here … */
  readonly from: Instant;
  /** … up to here, exclusive. */
  readonly until: Instant;
  /** In lower case. */
  readonly agentEmails?: readonly string[];
  readonly assigneeAccountIds?: readonly string[];
  readonly endReasons?: readonly SessionEndReason[];
}

/** Reads the query's dates as whole days in its timezone. */
export function sessionFilter(query: ConversationSessionsQuery): SessionFilter {
  const { startDate, endDate, timezone } = query;
  return {
    from: timezone.startOf(Date.parse(startDate) / DAY_MS),
    until: timezone.startOf(Date.parse(endDate) / DAY_MS + 1),
    agentEmails: query.sessionAgentEmails?.map((email) => email.toLowerCase()),
    assigneeAccountIds: query.assigneeAccountIds,
    endReasons: query.sessionEndReasons,
  };
}
