import { countUpTo, type Instant, microsecondsBetween } from '../instant';
import {
  type ConversationActivity,
  type Conversation,
  type ConversationMessage,
  type SessionActivity,
} from './records';
import { RULES } from './rules';
import { type AgentSession } from './sessions';

const LONGEST_HANDOFF = 24 * 60 * 60 * 1_000_000;

export interface Anchor<Source> {
  readonly at: Instant | null;
  /** null if no record has this time, or it is the time of another anchor. */
  readonly record: Source | null;
  readonly rule: string;
}

export interface Anchors {
  readonly botHandoffAt: Anchor<ConversationActivity>;
  readonly firstAgentAssignedAt: Anchor<ConversationActivity>;
  readonly firstAgentMessageAt: Anchor<ConversationMessage>;
  readonly lastAgentMessageAt: Anchor<ConversationMessage>;
  readonly conversationResolvedAt: Anchor<Conversation>;
}

interface AgentMessages {
  readonly messages: readonly ConversationMessage[];
  readonly times: readonly Instant[];
}

export function agentMessagesOf(messages: readonly ConversationMessage[]): AgentMessages {
  const inOrder = messages
    .filter(({ senderType }) => senderType === 'agent')
    .sort((a, b) => a.sentAt - b.sentAt || (a.id < b.id ? -1 : 1));
  return { messages: inOrder, times: inOrder.map(({ sentAt }) => sentAt) };
}

/**
 * @param previous session in the conversation
 * @param activities of the conversation, in reading order
 * @param written by agents in the conversation
 */
export function anchorsOf(
  session: AgentSession,
  previous: AgentSession | undefined,
  activities: readonly SessionActivity[],
  { messages, times }: AgentMessages,
  conversationResolvedAt: Anchors['conversationResolvedAt'],
): Anchors {
  const assigned = firstAgentAssignedAt(session);
  const endAt = session.endAt ?? Infinity;
  const first = messages[countUpTo(times, assigned.at!)];
  const last = messages[countUpTo(times, endAt) - 1];
  const { firstAgentMessageAt, lastAgentMessageAt } = RULES;
  return {
    botHandoffAt: botHandoffAt(session, previous, activities),
    firstAgentAssignedAt: assigned,
    firstAgentMessageAt: messageAnchor(first && first.sentAt <= endAt ? first : null, firstAgentMessageAt),
    lastAgentMessageAt: messageAnchor(
      last && last.sentAt >= session.startAt ? last : null,
      lastAgentMessageAt,
    ),
    conversationResolvedAt,
  };
}

export function anchorsWithoutSession(conversationResolvedAt: Anchors['conversationResolvedAt']): Anchors {
  const none = { at: null, record: null, rule: RULES.noSession };
  return {
    botHandoffAt: none,
    firstAgentAssignedAt: none,
    firstAgentMessageAt: none,
    lastAgentMessageAt: none,
    conversationResolvedAt,
  };
}

export function resolvedAnchor(conversation: Conversation): Anchor<Conversation> {
  const { closedAt } = conversation;
  const { closed, open } = RULES.conversationResolvedAt;
  return closedAt === null
    ? { at: null, record: null, rule: open }
    : { at: closedAt, record: conversation, rule: closed };
}

/**
 * The latest handoff to a human since the event that ended the previous session, if it is at most 24 hours older than the
 * start; else the start.
 */
function botHandoffAt(
  session: AgentSession,
  previous: AgentSession | undefined,
  activities: readonly SessionActivity[],
): Anchor<ConversationActivity> {
  // The searched ranges of all sessions together are no longer than the activities.
  const handoff = activities
    .slice(previous?.endPlace ?? 0, session.startPlace + 1)
    .findLast(({ action }) => action === 'route_to_human' || action === 'route_back_to_human');
  if (!handoff || microsecondsBetween(handoff.occurredAt, session.startAt) > LONGEST_HANDOFF)
    return { at: session.startAt, record: null, rule: RULES.botHandoffAt.start };
  return { at: handoff.occurredAt, record: handoff, rule: RULES.botHandoffAt.handoff };
}

function firstAgentAssignedAt({
  tookOverAt,
  tookOver,
  opened,
  startAt,
}: AgentSession): Anchor<ConversationActivity> {
  const { takeOver, start } = RULES.firstAgentAssignedAt;
  return tookOverAt === null
    ? { at: startAt, record: opened, rule: start }
    : { at: tookOverAt, record: tookOver, rule: takeOver };
}

function messageAnchor(
  message: ConversationMessage | null,
  rules: { readonly message: string; readonly none: string },
): Anchor<ConversationMessage> {
  return message
    ? { at: message.sentAt, record: message, rule: rules.message }
    : { at: null, record: null, rule: rules.none };
}

/** Whole seconds; null when an anchor is missing or the span would be negative. */
export function calendarSeconds(from: Instant | null, to: Instant | null): number | null {
  return from === null || to === null || to < from
    ? null
    : Math.floor(microsecondsBetween(from, to) / 1_000_000);
}
