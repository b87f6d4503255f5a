import type {
  ConversationActivity,
  ConversationRecords,
  ConversationSessionRow,
  ConversationSurvey,
  Ticket,
} from '../../src/derivation';
import type { Instant } from '../../src/instant';
import type { AgentSession } from '../../src/derivation/sessions';

const DAY = 24 * 60 * 60 * 1000;

/**
 * The fields of a row that are looked up among the records, the slow way: each record is asked whether it counts, for each row. It
 * follows the sentences of the contract and of the decisions, and shares nothing with the code that it checks but the sessions.
 */
export function expectedFields(
  { activities, messages, surveys, conversation }: ConversationRecords,
  sessions: readonly AgentSession[],
  session: AgentSession | null,
): Partial<ConversationSessionRow> {
  const ofConversation = {
    conversationRoutedToAiAt: first(activities, ['route_to_ai', 'route_back_to_ai']),
    conversationRoutedToAgentAt: first(activities, ['route_to_human', 'route_back_to_human']),
    conversationAssignedAt: first(activities, ['assign']),
    conversationAgentTookOverAt: first(activities, ['human_take_over']),
    conversationClosedAt: dateTime(conversation.closedAt),
    submittedAt: dateTime(surveyOf(surveys, sessions, session)?.submittedAt),
    feedback: surveyOf(surveys, sessions, session)?.feedback ?? '',
  };
  if (!session) {
    const blank = { botHandoffAt: null, firstAgentAssignedAt: null, firstAgentMessageAt: null };
    return { ...ofConversation, ...blank, lastAgentMessageAt: null };
  }
  const assignedAt = session.tookOverAt ?? session.startAt;
  const written = messages
    .filter(({ senderType, sentAt }) => senderType === 'agent' && contains(session, sentAt))
    .map(({ sentAt }) => sentAt);
  return {
    ...ofConversation,
    botHandoffAt: dateTime(botHandoffAt(activities, session, sessions[session.index - 1])),
    firstAgentAssignedAt: dateTime(assignedAt),
    firstAgentMessageAt: dateTime(least(written.filter((at) => at > assignedAt))),
    lastAgentMessageAt: dateTime(greatest(written)),
  };
}

/** The index of the session that a ticket is paired with. */
export function expectedSession(
  { assigneeAccountId, assignedAt, createdAt }: Ticket,
  sessions: readonly AgentSession[],
): number | null {
  const at = (instant: Instant | null) =>
    sessions.filter(
      (session) =>
        assigneeAccountId !== null &&
        session.agent?.accountId === assigneeAccountId &&
        instant !== null &&
        contains(session, instant),
    );
  return (at(assignedAt).at(-1) ?? at(createdAt).at(-1))?.index ?? null;
}

function surveyOf(
  surveys: readonly ConversationSurvey[],
  sessions: readonly AgentSession[],
  session: AgentSession | null,
): ConversationSurvey | null {
  const ofSession = (survey: ConversationSurvey) => {
    const sent = sessions.filter(
      ({ endAction, endAt }) => endAction === 'route_to_rating' && endAt! <= survey.submittedAt,
    );
    const started = sessions.filter(({ startAt }) => startAt <= survey.submittedAt);
    return sent.at(-1) ?? started.at(-1) ?? null;
  };
  const inOrder = [...surveys].sort((a, b) => a.submittedAt - b.submittedAt || a.arrival - b.arrival);
  const own = inOrder.filter((survey) => ofSession(survey) === session).at(-1);
  return own ?? inOrder.filter((survey) => ofSession(survey) === null).at(-1) ?? null;
}

/** The places of a session are those of the activities that count, in reading order. */
function botHandoffAt(
  activities: readonly ConversationActivity[],
  session: AgentSession,
  previous?: AgentSession,
): Instant {
  const handoffs = activities
    .filter(({ action }) => SESSION_ACTIONS.includes(action))
    .sort((a, b) => a.occurredAt - b.occurredAt || a.arrival - b.arrival)
    .filter((_, place) => place >= (previous?.endPlace ?? 0) && place <= session.startPlace)
    .filter(({ action }) => action === 'route_to_human' || action === 'route_back_to_human')
    .filter(({ occurredAt }) => session.startAt - occurredAt <= DAY);
  return handoffs.at(-1)?.occurredAt ?? session.startAt;
}

const SESSION_ACTIONS = [
  'route_to_ai',
  'route_back_to_ai',
  'route_to_human',
  'route_back_to_human',
  'assign',
  'human_take_over',
  'route_to_rating',
  'end_conversation',
  'timed_out',
];

function contains({ startAt, endAt }: AgentSession, instant: Instant): boolean {
  return startAt <= instant && instant <= (endAt ?? Infinity);
}

function first(activities: readonly ConversationActivity[], actions: readonly string[]): string | null {
  return dateTime(
    least(activities.filter(({ action }) => actions.includes(action)).map(({ occurredAt }) => occurredAt)),
  );
}

function least(instants: readonly Instant[]): Instant | null {
  return instants.length > 0 ? Math.min(...instants) : null;
}

function greatest(instants: readonly Instant[]): Instant | null {
  return instants.length > 0 ? Math.max(...instants) : null;
}

function dateTime(instant: Instant | null | undefined): string | null {
  return instant === null || instant === undefined ? null : new Date(instant).toISOString();
}
