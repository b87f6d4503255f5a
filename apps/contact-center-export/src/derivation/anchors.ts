import { countUpTo } from '../sorted';
import { type SessionActivity } from './actions';
import { type Instant, type Message } from './records';
import { type Session } from './sessions';

const LONGEST_HANDOFF_MS = 24 * 60 * 60 * 1000;

/** The instants that a session's metrics are measured between. */
export interface Anchors {
  readonly botHandoffAt: Instant | null;
  readonly firstAgentAssignedAt: Instant | null;
  readonly firstAgentMessageAt: Instant | null;
  readonly lastAgentMessageAt: Instant | null;
}

/** Of a ticket with no matched session. */
export const NO_ANCHORS: Anchors = {
  botHandoffAt: null,
  firstAgentAssignedAt: null,
  firstAgentMessageAt: null,
  lastAgentMessageAt: null,
};

/** When agents wrote, ascending. */
export function agentMessageTimes(messages: readonly Message[]): Instant[] {
  return messages
    .filter(({ senderType }) => senderType === 'agent')
    .map(({ sentAt }) => sentAt)
    .sort((a, b) => a - b);
}

/**
 * @param previous the session before this one in its conversation
 * @param activities of the conversation, in reading order
 * @param messageTimes of the agents' messages of the conversation, ascending
 */
export function anchorsOf(
  session: Session,
  previous: Session | undefined,
  activities: readonly SessionActivity[],
  messageTimes: readonly Instant[],
): Anchors {
  const firstAgentAssignedAt = session.tookOverAt ?? session.startAt;
  const endAt = session.endAt ?? Infinity;
  const first = messageTimes[countUpTo(messageTimes, firstAgentAssignedAt)];
  const last = messageTimes[countUpTo(messageTimes, endAt) - 1];
  return {
    botHandoffAt: botHandoffAt(session, previous, activities),
    firstAgentAssignedAt,
    firstAgentMessageAt: first !== undefined && first <= endAt ? first : null,
    lastAgentMessageAt: last !== undefined && last >= session.startAt ? last : null,
  };
}

/**
 * The latest handoff to a human from the event that ended the previous session up to the one that opened this session,
 * if it is at most 24 hours older than the start; else the start.
 */
function botHandoffAt(
  session: Session,
  previous: Session | undefined,
  activities: readonly SessionActivity[],
): Instant {
  // From the end of one session to the start of the next: together they are no longer than the activities.
  const handoff = activities
    .slice(previous?.endPlace ?? 0, session.startPlace + 1)
    .findLast(({ action }) => action === 'route_to_human' || action === 'route_back_to_human');
  if (!handoff || session.startAt - handoff.occurredAt > LONGEST_HANDOFF_MS) return session.startAt;
  return handoff.occurredAt;
}

/** Whole seconds of a span; null when an anchor is missing or the span would be negative. */
export function calendarSeconds(from: Instant | null, to: Instant | null): number | null {
  return from === null || to === null || to < from ? null : Math.floor((to - from) / 1000);
}
