import { countUpTo, type Instant } from '../instant';
import { type Ticket } from './records';
import { RULES } from './rules';
import { type AgentSession, isInWindow } from './sessions';

interface AgentSessions {
  readonly sessions: AgentSession[];
  readonly starts: Instant[];
}

export interface TicketMatch {
  readonly ticket: Ticket;
  readonly session: AgentSession | null;
  readonly matchedBy: 'assignedAt' | 'createdAt' | null;
  readonly rule: string;
}

/**
 * Matches a ticket to a session of its assignee whose window contains `assignedAt` or, failing that, `createdAt`; on a shared
 * bound to the later one.
 */
export function ticketMatching(sessions: readonly AgentSession[]): (ticket: Ticket) => TicketMatch {
  const byAgent = new Map<number, AgentSessions>();
  for (const session of sessions) {
    const accountId = session.agent?.accountId ?? null;
    if (accountId === null) continue;
    const ofAgent = byAgent.get(accountId) ?? { sessions: [], starts: [] };
    ofAgent.sessions.push(session);
    ofAgent.starts.push(session.startAt);
    byAgent.set(accountId, ofAgent);
  }
  return (ticket) => {
    const { assigneeAccountId } = ticket;
    const ofAssignee = assigneeAccountId === null ? undefined : byAgent.get(assigneeAccountId);
    for (const matchedBy of ofAssignee ? MATCHED_BY : []) {
      const instant = ticket[matchedBy];
      const session = instant === null ? undefined : lastStartedBy(ofAssignee!, instant);
      // Sessions do not overlap: an earlier one that contained the instant would end at the start of this one.
      if (session && isInWindow(session, instant!))
        return { ticket, session, matchedBy, rule: RULES.ticket[matchedBy] };
    }
    const rule = assigneeAccountId === null ? RULES.ticket.noAssignee : RULES.ticket.none;
    return { ticket, session: null, matchedBy: null, rule };
  };
}

const MATCHED_BY = ['assignedAt', 'createdAt'] as const;

function lastStartedBy({ sessions, starts }: AgentSessions, instant: Instant): AgentSession | undefined {
  return sessions[countUpTo(starts, instant) - 1];
}
