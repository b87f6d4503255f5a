import {
  type Agent,
  type Instant,
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

export interface Session {
  /** Zero-based, within the conversation. */
  readonly index: number;
  /** Null when the opening activity carried no agent identity. */
  readonly agent: Agent | null;
  readonly startAt: Instant;
  readonly startAction: OpeningAction;
  /** When the agent explicitly took over, if distinct from the start. */
  readonly tookOverAt: Instant | null;
  /** Null, with a blank action, while the session is open. */
  readonly endAt: Instant | null;
  readonly endAction: SessionAction | '';
  readonly endReason: SessionEndReason;
  readonly opened: SessionActivity;
  /** The first take-over by the agent, if the session was not opened by one. */
  readonly tookOver: SessionActivity | null;
  readonly closed: SessionActivity | null;
  /** Whether the activity that opened the session closed another one. */
  readonly isHandover: boolean;
  /** Places, in reading order, of the activities that opened and closed the session. */
  readonly startPlace: number;
  readonly endPlace: number;
}

interface OpenSession {
  readonly opening: SessionActivity & { readonly action: OpeningAction };
  readonly startPlace: number;
  readonly agent: Agent | null;
  readonly isHandover: boolean;
  tookOver: SessionActivity | null;
}

/** Reads the activities of one conversation, which must be in reading order, into its sessions. */
export function deriveSessions(activities: readonly SessionActivity[]): Session[] {
  const sessions: Session[] = [];
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

/** The agent, or null if it has no identifier. */
function identified(agent: Agent | null): Agent | null {
  return agent && (agent.accountId !== null || agent.email !== '') ? agent : null;
}

/**
 * Agents are compared by account id or, if one of them has none, by email without case. Two activities without an agent are taken for
 * those of the same agent.
 */
function isSameAgent(one: Agent | null, other: Agent | null): boolean {
  if (!one || !other) return one === other;
  if (one.accountId !== null && other.accountId !== null) return one.accountId === other.accountId;
  return one.email.toLowerCase() === other.email.toLowerCase();
}

/** Why the activity closes the open session; null when it doesn't. */
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

/** Only the first take-over counts, and only when it is an agent's. */
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
): Session {
  const startAt = opening.occurredAt;
  return {
    index,
    agent,
    startAt,
    startAction: opening.action,
    // A take-over at the instant of the start is not distinct from it.
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

/** Whether the instant lies in the session's window; both bounds belong to it, and an open session has no upper bound. */
export function isInWindow(session: Session, instant: Instant): boolean {
  return session.startAt <= instant && (session.endAt === null || instant <= session.endAt);
}

export function sentToRatingAt(session: Session): Instant | null {
  return session.endAction === 'route_to_rating' ? session.endAt : null;
}

export function ruleOf({ opened, closed, endReason, isHandover, agent }: Session): string {
  const { session } = RULES;
  const byAnother = (next: Agent | null) => (next ? session.byAnother : session.byNobody);
  const opening = session.opened(opened.action, isHandover ? byAnother(agent) : '');
  if (!closed) return `${opening}; ${session.open}`;
  const isTakenOver = endReason === 'replaced_by_other_handoff' && isOpening(closed.action);
  const isService = endReason === 'service_account_takeover';
  const by = isService ? session.byServiceAccount : isTakenOver ? byAnother(identified(closed.agent)) : '';
  return `${opening}; ${session.ended(closed.action, by, endReason)}`;
}
