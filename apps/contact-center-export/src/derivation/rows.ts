import { firstOf, inReadingOrder, type SessionActivity } from './actions';
import { type Anchors, NO_ANCHORS, agentMessageTimes, anchorsOf, calendarSeconds } from './anchors';
import { type ConversationSessionRow, type DateTime } from './conversation-session-row';
import {
  type Conversation,
  type ConversationRecords,
  type ConversationSurvey,
  type Instant,
  type Ticket,
} from './records';
import { attributeSurveys, resolutionYesNo } from './satisfaction';
import { type Session, deriveSessions, sentToRatingAt } from './sessions';
import { ticketMatching } from './ticket-matching';

/**
 * The rows of one conversation, in the export's order: one per session and ticket matched to it, one per session
 * without a ticket, then one per ticket without a session. A row is derived when it is asked for; the whole takes n·log n
 * steps for n records.
 */
export function* deriveRows(records: ConversationRecords): Generator<ConversationSessionRow, void> {
  const activities = inReadingOrder(records.activities);
  const sessions = deriveSessions(activities);
  const surveyOf = attributeSurveys(records.surveys, sessions);
  const messageTimes = agentMessageTimes(records.messages);
  const tickets = bySession(records.tickets, ticketMatching(sessions));
  const { conversation } = records;
  const milestones = milestonesOf(conversation, activities);
  for (const session of sessions) {
    const survey = surveyOf(session);
    const anchors = anchorsOf(session, sessions[session.index - 1], activities, messageTimes);
    for (const ticket of tickets.get(session) ?? [null])
      yield toRow({ conversation, milestones, session, anchors, survey, ticket });
  }
  const survey = surveyOf(null);
  for (const ticket of tickets.get(null) ?? [])
    yield toRow({ conversation, milestones, session: null, anchors: NO_ANCHORS, survey, ticket });
}

/** The tickets of each session, and those without one, in order of their ids. */
function bySession(
  tickets: readonly Ticket[],
  sessionOf: (ticket: Ticket) => Session | null,
): ReadonlyMap<Session | null, Ticket[]> {
  const grouped = new Map<Session | null, Ticket[]>();
  for (const ticket of [...tickets].sort((a, b) => a.id - b.id)) {
    const session = sessionOf(ticket);
    const group = grouped.get(session);
    if (group) group.push(ticket);
    else grouped.set(session, [ticket]);
  }
  return grouped;
}

/** When something first happened in the conversation: the same on each of its rows. */
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

interface RowParts {
  readonly conversation: Conversation;
  readonly milestones: ReturnType<typeof milestonesOf>;
  readonly session: Session | null;
  readonly anchors: Anchors;
  readonly survey: ConversationSurvey | null;
  readonly ticket: Ticket | null;
}

/** One literal: put together from blocks by spreading, a row took eight times as long. */
function toRow({
  conversation,
  milestones,
  session,
  anchors,
  survey,
  ticket,
}: RowParts): ConversationSessionRow {
  return {
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
    conversationResolvedAt: milestones.closedAt,

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

    botHandoffAt: dateTime(anchors.botHandoffAt),
    firstAgentAssignedAt: dateTime(anchors.firstAgentAssignedAt),
    firstAgentMessageAt: dateTime(anchors.firstAgentMessageAt),
    lastAgentMessageAt: dateTime(anchors.lastAgentMessageAt),

    waitTimeSeconds: calendarSeconds(anchors.botHandoffAt, anchors.firstAgentMessageAt),
    firstResponseTimeSeconds: calendarSeconds(anchors.firstAgentAssignedAt, anchors.firstAgentMessageAt),
    resolutionTimeSeconds: calendarSeconds(anchors.botHandoffAt, conversation.closedAt),

    rating: survey?.rating ?? null,
    resolutionYesNo: resolutionYesNo(survey),
    feedback: survey?.feedback ?? '',
    submittedAt: dateTime(survey?.submittedAt),

    customFields: ticket?.customFields ?? {},
  };
}

function dateTime(instant: Instant | null | undefined): DateTime | null {
  return instant === null || instant === undefined ? null : new Date(instant).toISOString();
}
