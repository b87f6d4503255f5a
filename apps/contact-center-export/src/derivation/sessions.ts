import type { Instant } from '../instant';
import {
  type AgentIdentity,
  isOpening,
  type OpeningAction,
  type SessionAction,
  type SessionActivity,
} from './records';
import { RULES } from './rules';

export const SESSION_END_REASONS = [
  'handoff_to_ai',
  'terminal',
  'replaced_by_other_handoff',
  'service_account_takeover',
  'open_at_end',
] as const;

export type SessionEndReason = (typeof SESSION_END_REASONS)[number];

export interface AgentSession {
  /** Zero-based, within the conversation. */
  readonly index: number;
  /** null when the opening activity named no agent. */
  readonly agent: AgentIdentity | null;
  readonly startAt: Instant;
  readonly startAction: OpeningAction;
  /** null if the agent never took over, or did so at the start. */
  readonly tookOverAt: Instant | null;
  /** null, with a blank action, while the session is open. */
  readonly endAt: Instant | null;
  readonly endAction: SessionAction | '';
  readonly endReason: SessionEndReason;
  readonly opened: SessionActivity;
  /** The agent's first take-over, if it did not open the session. */
  readonly tookOver: SessionActivity | null;
  readonly closed: SessionActivity | null;
  /** Whether the opening activity closed another session. */
  readonly isHandover: boolean;
  readonly startPlace: number;
  readonly endPlace: number;
}

interface OpenSession {
  readonly opening: SessionActivity & { readonly action: OpeningAction };
  readonly startPlace: number;
  readonly agent: AgentIdentity | null;
  readonly isHandover: boolean;
  tookOver: SessionActivity | null;
}

/** @param activities of one conversation, in reading order */
export function deriveSessions(activities: readonly SessionActivity[]): AgentSession[] {
  const sessions: AgentSession[] = [];
  let open: OpenSession | null = null;
  for (const [place, activity] of activities.entries()) {
    const endReason = open && endReasonOf(open, activity);
    const isHandover = open !== null && endReason !== null;
    if (open && endReason) {
      sessions.push(close(open, sessions.length, endReason, activity, place));
      open = null;
    }
    if (open) noteTakeOver(open, activity);
    else if (opensSession(activity)) open = openedBy(activity, place, isHandover);
  }
  if (open) sessions.push(close(open, sessions.length, 'open_at_end', null, activities.length));
  return sessions;
}

function opensSession(activity: SessionActivity): activity is OpenSession['opening'] {
  return isOpening(activity.action) && !activity.agent?.isServiceAccount;
}

function openedBy(opening: OpenSession['opening'], startPlace: number, isHandover: boolean): OpenSession {
  return { opening, startPlace, agent: identified(opening.agent), isHandover, tookOver: null };
}

/** null for an agent without an identifier. */
function identified(agent: AgentIdentity | null): AgentIdentity | null {
  return agent && (agent.accountId !== null || agent.email !== '') ? agent : null;
}

/** Compares account ids or, if one of them has none, emails without case. Two missing agents are equal. */
function isSameAgent(one: AgentIdentity | null, other: AgentIdentity | null): boolean {
  if (!one || !other) return one === other;
  if (one.accountId !== null && other.accountId !== null) return one.accountId === other.accountId;
  return one.email.toLowerCase() === other.email.toLowerCase();
}

/** null when the activity does not close the session. */
function endReasonOf({ agent }: OpenSession, activity: SessionActivity): SessionEndReason | null {
  switch (activity.action) {
    case 'route_to_ai':
    case 'route_back_to_ai':
      return 'handoff_to_ai';
    case 'route_to_rating':
    case 'end_conversation':
    case 'timed_out':
      return 'terminal';
    case 'route_to_human':
      return 'replaced_by_other_handoff';
    case 'assign':
    case 'route_back_to_human':
    case 'human_take_over':
      if (activity.agent?.isServiceAccount) return 'service_account_takeover';
      return isSameAgent(agent, identified(activity.agent)) ? null : 'replaced_by_other_handoff';
  }
}

/** Only the agent's own first take-over counts. */
function noteTakeOver(open: OpenSession, activity: SessionActivity): void {
  if (activity.action !== 'human_take_over' || open.opening.action === 'human_take_over') return;
  if (open.agent) open.tookOver ??= activity;
}

function close(
  { opening, agent, tookOver, isHandover, startPlace }: OpenSession,
  index: number,
  endReason: SessionEndReason,
  closed: SessionActivity | null,
  endPlace: number,
): AgentSession {
  const startAt = opening.occurredAt;
  return {
    index,
    agent,
    startAt,
    startAction: opening.action,
    tookOverAt: tookOver && tookOver.occurredAt > startAt ? tookOver.occurredAt : null,
    endAt: closed?.occurredAt ?? null,
    endAction: closed?.action ?? '',
    endReason,
    opened: opening,
    tookOver,
    closed,
    isHandover,
    startPlace,
    endPlace,
  };
}

/** Both bounds belong to the window; an open session has no upper bound. */
export function isInWindow(session: AgentSession, instant: Instant): boolean {
  return session.startAt <= instant && (session.endAt === null || instant <= session.endAt);
}

export function sentToRatingAt(session: AgentSession): Instant | null {
  return session.endAction === 'route_to_rating' ? session.endAt : null;
}

export function ruleOf({ opened, closed, endReason, isHandover, agent }: AgentSession): string {
  const { session } = RULES;
  const byAnother = (next: AgentIdentity | null) => (next ? session.byAnother : session.byNobody);
  const opening = session.opened(opened.action, isHandover ? byAnother(agent) : '');
  if (!closed) return `${opening}; ${session.open}`;
  const isTakenOver = endReason === 'replaced_by_other_handoff' && isOpening(closed.action);
  const isService = endReason === 'service_account_takeover';
  const by = isService ? session.byServiceAccount : isTakenOver ? byAnother(identified(closed.agent)) : '';
  return `${opening}; ${session.ended(closed.action, by, endReason)}`;
}
