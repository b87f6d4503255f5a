import { type ConversationSurvey } from './records';
import { type Session, sentToRatingAt } from './sessions';

const LOWEST_SATISFIED_RATING = 4;

/** The survey that counts for each session, and for the rows that have none. */
export interface SurveyBySession {
  of(session: Session | null): ConversationSurvey | null;
}

/**
 * Gives every submission to the session that it belongs to, or to every row of the conversation. Of several submissions
 * the latest counts; of equal ones the last to arrive.
 */
export function attributeSurveys(
  surveys: readonly ConversationSurvey[],
  sessions: readonly Session[],
): SurveyBySession {
  const latest = new Map<Session | null, ConversationSurvey>();
  const inOrder = [...surveys].sort((a, b) => a.submittedAt - b.submittedAt || a.arrival - b.arrival);
  for (const survey of inOrder) latest.set(sessionOfSurvey(survey, sessions), survey);
  const ofEveryRow = latest.get(null) ?? null;
  return { of: (session) => latest.get(session) ?? ofEveryRow };
}

/** The session that sent the customer to rating; failing that, the last that started before; null: every row's. */
function sessionOfSurvey({ submittedAt }: ConversationSurvey, sessions: readonly Session[]): Session | null {
  const senders = sessions.filter((session) => isAtOrBefore(sentToRatingAt(session), submittedAt));
  return senders.at(-1) ?? sessions.findLast(({ startAt }) => startAt <= submittedAt) ?? null;
}

function isAtOrBefore(instant: number | null, bound: number): boolean {
  return instant !== null && instant <= bound;
}

/** An explicit resolution outranks the rating; empty when the survey carries neither, or there is no survey. */
export function resolutionYesNo(survey: ConversationSurvey | null): 'Yes' | 'No' | '' {
  if (!survey) return '';
  if (survey.resolution !== null) return survey.resolution === 1 ? 'Yes' : 'No';
  if (survey.rating === null) return '';
  return survey.rating >= LOWEST_SATISFIED_RATING ? 'Yes' : 'No';
}
