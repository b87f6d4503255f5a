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
  const { closedAt } = records.conversation;
  const conversation = conversationBlock(records.conversation, activities);

  const rowsOf = (session: Session | null, tickets: readonly (Ticket | null)[]): ConversationSessionRow[] => {
    const anchors = session
      ? anchorsOf(session, sessions[session.index - 1], activities, records.messages)
      : NO_ANCHORS;
    const shared = {
      ...sessionBlock(session),
      ...conversation,
      ...anchorBlock(anchors, closedAt),
      ...satisfactionBlock(surveys.of(session)),
    };
    return tickets.map((ticket) => ({ ...shared, ...ticketBlock(ticket) }));
  };

  return [
    ...sessions.flatMap((session) => rowsOf(session, orOneBlank(ticketsOf(session)))),
    ...rowsOf(null, ticketsOf(null)),
  ];
}

function orOneBlank(tickets: readonly Ticket[]): readonly (Ticket | null)[] {
  return tickets.length > 0 ? tickets : [null];
}

function sessionBlock(session: Session | null) {
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
    sessionEndReason: session?.endReason ?? ('' as const),
    sentToRatingAt: dateTime(session && sentToRatingAt(session)),
  };
}

function conversationBlock(conversation: Conversation, activities: readonly SessionActivity[]) {
  return {
    conversationId: conversation.id,
    conversationCreatedAt: dateTime(conversation.createdAt),
    conversationRoutedToAiAt: dateTime(firstOf(activities, 'route_to_ai', 'route_back_to_ai')),
    conversationRoutedToAgentAt: dateTime(firstOf(activities, 'route_to_human', 'route_back_to_human')),
    conversationAssignedAt: dateTime(firstOf(activities, 'assign')),
    conversationAgentTookOverAt: dateTime(firstOf(activities, 'human_take_over')),
    conversationClosedAt: dateTime(conversation.closedAt),
    conversationResolvedAt: dateTime(conversation.closedAt),
    customerFilumId: conversation.customer.filumId,
    customerName: conversation.customer.name,
    customerPhone: conversation.customer.phone,
    customerEmail: conversation.customer.email,
  };
}

function anchorBlock(anchors: Anchors, resolvedAt: Instant | null) {
  const { botHandoffAt, firstAgentAssignedAt, firstAgentMessageAt, lastAgentMessageAt } = anchors;
  return {
    botHandoffAt: dateTime(botHandoffAt),
    firstAgentAssignedAt: dateTime(firstAgentAssignedAt),
    firstAgentMessageAt: dateTime(firstAgentMessageAt),
    lastAgentMessageAt: dateTime(lastAgentMessageAt),
    waitTimeSeconds: calendarSeconds(botHandoffAt, firstAgentMessageAt),
    firstResponseTimeSeconds: calendarSeconds(firstAgentAssignedAt, firstAgentMessageAt),
    resolutionTimeSeconds: calendarSeconds(botHandoffAt, resolvedAt),
  };
}

function satisfactionBlock(survey: ConversationSurvey | null) {
  return {
    rating: survey?.rating ?? null,
    resolutionYesNo: resolutionYesNo(survey),
    feedback: survey?.feedback ?? '',
    submittedAt: dateTime(survey?.submittedAt),
  };
}

function ticketBlock(ticket: Ticket | null) {
  return {
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
    customFields: ticket?.customFields ?? {},
  };
}

function dateTime(instant: Instant | null | undefined): DateTime | null {
  return instant === null || instant === undefined ? null : new Date(instant).toISOString();
}
