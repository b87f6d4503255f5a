import { type SessionActivity, firstOf, inReadingOrder } from './actions';
import { type Anchors, NO_ANCHORS, anchorsOf, calendarSeconds } from './anchors';
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
import { sessionOfTicket } from './ticket-matching';

/**
 * The rows of one conversation, in the export's order: one per session and ticket matched to it, one per session
 * without a ticket, then one per ticket without a session.
 */
export function deriveRows(records: ConversationRecords): ConversationSessionRow[] {
  const activities = inReadingOrder(records.activities);
  const sessions = deriveSessions(activities);
  const surveys = attributeSurveys(records.surveys, sessions);
  const matches = [...records.tickets]
    .sort((a, b) => a.id - b.id)
    .map((ticket) => ({ ticket, session: sessionOfTicket(ticket, sessions) }));
  const ticketsOf = (session: Session | null) =>
    matches.filter((match) => match.session === session).map(({ ticket }) => ticket);

  const rowsOf = (session: Session | null, tickets: readonly (Ticket | null)[]): ConversationSessionRow[] => {
    const { conversation, messages } = records;
    const survey = surveys.of(session);
    const anchors = session
      ? anchorsOf(session, sessions[session.index - 1], activities, messages)
      : NO_ANCHORS;
    return tickets.map((ticket) => toRow({ conversation, activities, session, anchors, survey, ticket }));
  };

  return [
    ...sessions.flatMap((session) => rowsOf(session, orOneBlank(ticketsOf(session)))),
    ...rowsOf(null, ticketsOf(null)),
  ];
}

function orOneBlank(tickets: readonly Ticket[]): readonly (Ticket | null)[] {
  return tickets.length > 0 ? tickets : [null];
}

interface RowParts {
  readonly conversation: Conversation;
  /** In reading order. */
  readonly activities: readonly SessionActivity[];
  readonly session: Session | null;
  readonly anchors: Anchors;
  readonly survey: ConversationSurvey | null;
  readonly ticket: Ticket | null;
}

/** One literal: put together from blocks by spreading, a row took eight times as long. */
function toRow({
  conversation,
  activities,
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
    conversationCreatedAt: dateTime(conversation.createdAt),
    conversationRoutedToAiAt: dateTime(firstOf(activities, 'route_to_ai', 'route_back_to_ai')),
    conversationRoutedToAgentAt: dateTime(firstOf(activities, 'route_to_human', 'route_back_to_human')),
    conversationAssignedAt: dateTime(firstOf(activities, 'assign')),
    conversationAgentTookOverAt: dateTime(firstOf(activities, 'human_take_over')),
    sentToRatingAt: dateTime(session && sentToRatingAt(session)),
    conversationClosedAt: dateTime(conversation.closedAt),
    conversationResolvedAt: dateTime(conversation.closedAt),

    customerFilumId: conversation.customer.filumId,
    customerName: conversation.customer.name,
    customerPhone: conversation.customer.phone,
    customerEmail: conversation.customer.email,

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
