import { type Ticket } from './records';
import { type Session, isInWindow } from './sessions';

/**
 * The session that a ticket is paired with: one of its assignee, whose window contains `assignedAt` or, failing that,
 * `createdAt`; on a shared bound the later one. Null when there is none.
 */
export function sessionOfTicket(ticket: Ticket, sessions: readonly Session[]): Session | null {
  if (ticket.assigneeAccountId === null) return null;
  const ofAssignee = sessions.filter(({ agent }) => agent?.accountId === ticket.assigneeAccountId);
  for (const instant of [ticket.assignedAt, ticket.createdAt]) {
    const session = instant === null ? null : ofAssignee.findLast((session) => isInWindow(session, instant));
    if (session) return session;
  }
  return null;
}
