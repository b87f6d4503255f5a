import { type OpeningAction, type SessionAction, type SessionActivity, isOpening } from './actions';
import { identified, isSameAgent } from './agents';
import { type Agent, type Instant } from './records';

export const SESSION_END_REASONS = [
  'handoff_to_ai',
  'terminal',
  'replaced_by_other_handoff',
  'service_account_takeover',
  'open_at_end',
] as const;

export type SessionEndReason = (typeof SESSION_END_REASONS)[number];

/** One agent's engagement with a conversation. */
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
  /** Places, in reading order, of the activities that opened and closed the session. */
  readonly startPlace: number;
  readonly endPlace: number;
}

interface OpenSession {
  readonly opening: SessionActivity & { readonly action: OpeningAction };
  readonly startPlace: number;
  readonly agent: Agent | null;
  takeOverSeen: boolean;
  tookOverAt: Instant | null;
}

/** Reads the activities of one conversation, which must be in reading order, into its sessions. */
export function deriveSessions(activities: readonly SessionActivity[]): Session[] {
  const sessions: Session[] = [];
  let open: OpenSession | null = null;
  for (const [place, activity] of activities.entries()) {
    const endReason = open && endReasonOf(open, activity);
    if (open && endReason) {
      sessions.push(close(open, sessions.length, endReason, activity, place));
      open = null;
    }
    if (open) noteTakeOver(open, activity);
    else if (opensSession(activity)) open = openedBy(activity, place);
  }
  if (open) sessions.push(close(open, sessions.length, 'open_at_end', null, activities.length));
  return sessions;
}

function opensSession(activity: SessionActivity): activity is OpenSession['opening'] {
  return isOpening(activity.action) && !activity.agent?.isServiceAccount;
}

function openedBy(opening: OpenSession['opening'], startPlace: number): OpenSession {
  const takeOverSeen = opening.action === 'human_take_over';
  return { opening, startPlace, agent: identified(opening.agent), takeOverSeen, tookOverAt: null };
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

/** Only the first take-over counts, and only when it is an agent's and later than the start. */
function noteTakeOver(open: OpenSession, activity: SessionActivity): void {
  if (activity.action !== 'human_take_over' || open.takeOverSeen || !open.agent) return;
  open.takeOverSeen = true;
  if (activity.occurredAt > open.opening.occurredAt) open.tookOverAt = activity.occurredAt;
}

function close(
  { opening, agent, tookOverAt, startPlace }: OpenSession,
  index: number,
  endReason: SessionEndReason,
  closing: SessionActivity | null,
  endPlace: number,
): Session {
  return {
    index,
    agent,
    startAt: opening.occurredAt,
    startAction: opening.action,
    tookOverAt,
    endAt: closing?.occurredAt ?? null,
    endAction: closing?.action ?? '',
    endReason,
    startPlace,
    endPlace,
  };
}

/** Whether the instant lies in the session's window; both bounds belong to it, and an open session has no upper bound. */
export function isInWindow(session: Session, instant: Instant): boolean {
  return session.startAt <= instant && (session.endAt === null || instant <= session.endAt);
}

/** When the customer was sent to rating by the event that closed this session. */
export function sentToRatingAt(session: Session): Instant | null {
  return session.endAction === 'route_to_rating' ? session.endAt : null;
}
