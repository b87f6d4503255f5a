import { type SessionActivity } from './actions';
import { type Instant, type Message } from './records';
import { type Session, isInWindow } from './sessions';

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

/**
 * @param previous the session before this one in its conversation
 * @param activities of the conversation, in reading order
 */
export function anchorsOf(
  session: Session,
  previous: Session | undefined,
  activities: readonly SessionActivity[],
  messages: readonly Message[],
): Anchors {
  const firstAgentAssignedAt = session.tookOverAt ?? session.startAt;
  const agentMessages = messages
    .filter(({ senderType, sentAt }) => senderType === 'agent' && isInWindow(session, sentAt))
    .map(({ sentAt }) => sentAt);
  return {
    botHandoffAt: botHandoffAt(session, previous, activities),
    firstAgentAssignedAt,
    firstAgentMessageAt: earliest(agentMessages.filter((sentAt) => sentAt > firstAgentAssignedAt)),
    lastAgentMessageAt: latest(agentMessages),
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
  const handoff = activities
    .slice(previous?.endPlace ?? 0, session.startPlace + 1)
    .findLast(({ action }) => action === 'route_to_human' || action === 'route_back_to_human');
  if (!handoff || session.startAt - handoff.occurredAt > LONGEST_HANDOFF_MS) return session.startAt;
  return handoff.occurredAt;
}

function earliest(instants: readonly Instant[]): Instant | null {
  return instants.reduce<Instant | null>((first, at) => (first === null || at < first ? at : first), null);
}

function latest(instants: readonly Instant[]): Instant | null {
  return instants.reduce<Instant | null>((last, at) => (last === null || at > last ? at : last), null);
}

/** Whole seconds of a span; null when an anchor is missing or the span would be negative. */
export function calendarSeconds(from: Instant | null, to: Instant | null): number | null {
  return from === null || to === null || to < from ? null : Math.floor((to - from) / 1000);
}
