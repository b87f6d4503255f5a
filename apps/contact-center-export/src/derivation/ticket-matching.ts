import { countUpTo } from '../sorted';
import { type Instant, type Ticket } from './records';
import { type Session, isInWindow } from './sessions';

/** The sessions of one agent, in order, and when they start. */
interface AgentSessions {
  readonly sessions: Session[];
  readonly starts: Instant[];
}

/**
 * The session that a ticket is paired with: one of its assignee, whose window contains `assignedAt` or, failing that,
 * `createdAt`; on a shared bound the later one. Null when there is none.
 */
export function ticketMatching(sessions: readonly Session[]): (ticket: Ticket) => Session | null {
  const byAgent = new Map<number, AgentSessions>();
  for (const session of sessions) {
    const accountId = session.agent?.accountId ?? null;
    if (accountId === null) continue;
    const ofAgent = byAgent.get(accountId) ?? { sessions: [], starts: [] };
    ofAgent.sessions.push(session);
    ofAgent.starts.push(session.startAt);
    byAgent.set(accountId, ofAgent);
  }
  return ({ assigneeAccountId, assignedAt, createdAt }) => {
    const ofAssignee = assigneeAccountId === null ? undefined : byAgent.get(assigneeAccountId);
    if (!ofAssignee) return null;
    for (const instant of [assignedAt, createdAt]) {
      const session = instant === null ? undefined : lastStartedBy(ofAssignee, instant);
      // Sessions do not overlap: an earlier one that contained the instant would end at the start of this one.
      if (session && isInWindow(session, instant!)) return session;
    }
    return null;
  };
}

function lastStartedBy({ sessions, starts }: AgentSessions, instant: Instant): Session | undefined {
  return sessions[countUpTo(starts, instant) - 1];
}
