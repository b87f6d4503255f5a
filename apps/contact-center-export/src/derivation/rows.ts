import { dateTime } from '../instant';
import {
  type Conversation,
  type ConversationRecords,
  firstOf,
  inReadingOrder,
  type SessionActivity,
  type Ticket,
} from './records';
import {
  type Anchors,
  agentMessagesOf,
  anchorsOf,
  anchorsWithoutSession,
  calendarSeconds,
  resolvedAnchor,
} from './anchors';
import { type ConversationSessionRow } from './conversation-session-row';
import { type MeasuredSpan, SPANS } from './rules';
import { type Satisfaction, attributeSurveys, resolutionYesNo } from './satisfaction';
import { type AgentSession, deriveSessions, sentToRatingAt } from './sessions';
import { type TicketMatch, ticketMatching } from './ticket-matching';

export interface DerivedRow {
  readonly row: ConversationSessionRow;
  readonly session: AgentSession | null;
  readonly match: TicketMatch | null;
  readonly satisfaction: Satisfaction;
  readonly anchors: Anchors;
}

/**
 * In the export's order: one row per session and matched ticket, per session without a ticket, then per ticket without a
 * session. Lazy; n·log n steps for n records.
 */
export function* deriveRows(records: ConversationRecords): Generator<DerivedRow, void> {
  const activities = inReadingOrder(records.activities);
  const sessions = deriveSessions(activities);
  const satisfactionOf = attributeSurveys(records.surveys, sessions);
  const written = agentMessagesOf(records.messages);
  const tickets = bySession(records.tickets, ticketMatching(sessions));
  const { conversation } = records;
  const milestones = milestonesOf(conversation, activities);
  const resolved = resolvedAnchor(conversation);
  for (const session of sessions) {
    const satisfaction = satisfactionOf(session);
    const previous = sessions[session.index - 1];
    const anchors = anchorsOf(session, previous, activities, written, resolved);
    for (const match of tickets.get(session) ?? [null])
      yield toRow(conversation, milestones, session, match, satisfaction, anchors);
  }
  const satisfaction = satisfactionOf(null);
  const anchors = anchorsWithoutSession(resolved);
  for (const match of tickets.get(null) ?? [])
    yield toRow(conversation, milestones, null, match, satisfaction, anchors);
}

function bySession(
  tickets: readonly Ticket[],
  matchOf: (ticket: Ticket) => TicketMatch,
): ReadonlyMap<AgentSession | null, TicketMatch[]> {
  const grouped = new Map<AgentSession | null, TicketMatch[]>();
  for (const ticket of [...tickets].sort((a, b) => a.id - b.id)) {
    const match = matchOf(ticket);
    const group = grouped.get(match.session);
    if (group) group.push(match);
    else grouped.set(match.session, [match]);
  }
  return grouped;
}

function milestonesOf(conversation: Conversation, activities: readonly SessionActivity[]) {
  return {
    createdAt: dateTime(conversation.createdAt),
    routedToAiAt: dateTime(firstOf(activities, 'route_to_ai', 'route_back_to_ai')),
    routedToAgentAt: dateTime(firstOf(activities, 'route_to_human', 'route_back_to_human')),
    assignedAt: dateTime(firstOf(activities, 'assign')),
    agentTookOverAt: dateTime(firstOf(activities, 'human_take_over')),
    closedAt: dateTime(conversation.closedAt),
  };
}

/** One literal: spreading blocks into the row took eight times as long. */
function toRow(
  conversation: Conversation,
  milestones: ReturnType<typeof milestonesOf>,
  session: AgentSession | null,
  match: TicketMatch | null,
  satisfaction: Satisfaction,
  anchors: Anchors,
): DerivedRow {
  const { survey } = satisfaction;
  const ticket = match?.ticket;
  const seconds = ({ from, to }: MeasuredSpan) => calendarSeconds(anchors[from].at, anchors[to].at);
  const row: ConversationSessionRow = {
    sessionIndex: session?.index ?? null,
    sessionAgentEmail: session?.agent?.email ?? '',
    sessionAgentName: session?.agent?.name ?? '',
    sessionAgentAccountId: session?.agent?.accountId ?? null,
    sessionStartAt: dateTime(session?.startAt),
    sessionTookOverAt: dateTime(session?.tookOverAt),
    sessionEndAt: dateTime(session?.endAt),
    sessionStartAction: session?.startAction ?? '',
    sessionEndAction: session?.endAction ?? '',
    sessionEndReason: session?.endReason ?? '',

    conversationId: conversation.id,
    conversationCreatedAt: milestones.createdAt,
    conversationRoutedToAiAt: milestones.routedToAiAt,
    conversationRoutedToAgentAt: milestones.routedToAgentAt,
    conversationAssignedAt: milestones.assignedAt,
    conversationAgentTookOverAt: milestones.agentTookOverAt,
    sentToRatingAt: dateTime(session && sentToRatingAt(session)),
    conversationClosedAt: milestones.closedAt,
    conversationResolvedAt: dateTime(anchors.conversationResolvedAt.at),

    customerFilumId: conversation.customerFilumId,
    customerName: conversation.customerName,
    customerPhone: conversation.customerPhone,
    customerEmail: conversation.customerEmail,

    ticketId: ticket?.id ?? null,
    ticketCreatedAt: dateTime(ticket?.createdAt),
    ticketUpdatedAt: dateTime(ticket?.updatedAt),
    ticketSubject: ticket?.subject ?? '',
    ticketDescription: ticket?.description ?? '',
    ticketStatus: ticket?.status ?? '',
    ticketPriority: ticket?.priority ?? '',
    ticketDueDate: dateTime(ticket?.dueDate),
    ticketAssignedAt: dateTime(ticket?.assignedAt),
    ticketResolvedAt: dateTime(ticket?.resolvedAt),
    installedSourceId: ticket?.installedSourceId ?? null,
    installedSourceName: ticket?.installedSourceName ?? '',
    channelType: ticket?.channelType ?? '',

    botHandoffAt: dateTime(anchors.botHandoffAt.at),
    firstAgentAssignedAt: dateTime(anchors.firstAgentAssignedAt.at),
    firstAgentMessageAt: dateTime(anchors.firstAgentMessageAt.at),
    lastAgentMessageAt: dateTime(anchors.lastAgentMessageAt.at),

    waitTimeSeconds: seconds(SPANS.waitTime),
    firstResponseTimeSeconds: seconds(SPANS.firstResponseTime),
    resolutionTimeSeconds: seconds(SPANS.resolutionTime),

    rating: survey?.rating ?? null,
    resolutionYesNo: resolutionYesNo(survey),
    feedback: survey?.feedback ?? '',
    submittedAt: dateTime(survey?.submittedAt),

    customFields: ticket?.customFields ?? {},
  };
  return { row, session, match, satisfaction, anchors };
}
