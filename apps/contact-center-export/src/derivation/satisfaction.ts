import { countUpTo } from '../sorted';
import { type ConversationSurvey, type Instant } from './records';
import { type Session, sentToRatingAt } from './sessions';

const LOWEST_SATISFIED_RATING = 4;

/**
 * Gives every submission to the session that it belongs to, or to every row of the conversation. Of several submissions
 * the latest counts; of equal ones the last to arrive.
 * @returns the survey that counts for a session, or for the rows without one
 */
export function attributeSurveys(
  surveys: readonly ConversationSurvey[],
  sessions: readonly Session[],
): (session: Session | null) => ConversationSurvey | null {
  const latest = new Map<Session | null, ConversationSurvey>();
  const sessionOf = sessionsOfSurveys(sessions);
  const inOrder = [...surveys].sort((a, b) => a.submittedAt - b.submittedAt || a.arrival - b.arrival);
  for (const survey of inOrder) latest.set(sessionOf(survey), survey);
  const ofEveryRow = latest.get(null) ?? null;
  return (session) => latest.get(session) ?? ofEveryRow;
}

/** The session that sent the customer to rating; failing that, the last that started before; null: every row's. */
function sessionsOfSurveys(sessions: readonly Session[]): (survey: ConversationSurvey) => Session | null {
  const starts = sessions.map(({ startAt }) => startAt);
  const senders: Session[] = [];
  const sentAt: Instant[] = [];
  for (const session of sessions) {
    const at = sentToRatingAt(session);
    if (at === null) continue;
    senders.push(session);
    sentAt.push(at);
  }
  return ({ submittedAt }) =>
    senders[countUpTo(sentAt, submittedAt) - 1] ?? sessions[countUpTo(starts, submittedAt) - 1] ?? null;
}

/** An explicit resolution outranks the rating; empty when the survey carries neither, or there is no survey. */
export function resolutionYesNo(survey: ConversationSurvey | null): 'Yes' | 'No' | '' {
  if (!survey) return '';
  if (survey.resolution !== null) return survey.resolution === 1 ? 'Yes' : 'No';
  if (survey.rating === null) return '';
  return survey.rating >= LOWEST_SATISFIED_RATING ? 'Yes' : 'No';
}
