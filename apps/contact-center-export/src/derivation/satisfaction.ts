import { countUpTo, type Instant } from '../instant';
import { type ConversationSurvey } from './records';
import { RULES } from './rules';
import { type AgentSession, sentToRatingAt } from './sessions';

const LOWEST_SATISFIED_RATING = 4;

export interface Satisfaction {
  readonly survey: ConversationSurvey | null;
  readonly rule: string;
}

const NONE: Satisfaction = { survey: null, rule: RULES.satisfaction.none };

/**
 * Assigns submissions to their sessions, or to every row. The latest submission counts; of equal ones the last to arrive.
 * @returns the survey of a session, or of the rows without one
 */
export function attributeSurveys(
  surveys: readonly ConversationSurvey[],
  sessions: readonly AgentSession[],
): (session: AgentSession | null) => Satisfaction {
  const latest = new Map<AgentSession | null, Satisfaction>();
  const sessionOf = sessionsOfSurveys(sessions);
  const inOrder = [...surveys].sort((a, b) => a.submittedAt - b.submittedAt || a.arrival - b.arrival);
  for (const survey of inOrder) {
    const { session, rule } = sessionOf(survey);
    latest.set(session, { survey, rule });
  }
  const ofEveryRow = latest.get(null) ?? NONE;
  return (session) => latest.get(session) ?? ofEveryRow;
}

/** The session that sent the customer to rating; failing that, the last that started before; null for every row. */
function sessionsOfSurveys(
  sessions: readonly AgentSession[],
): (survey: ConversationSurvey) => { readonly session: AgentSession | null; readonly rule: string } {
  const starts = sessions.map(({ startAt }) => startAt);
  const senders: AgentSession[] = [];
  const sentAt: Instant[] = [];
  for (const session of sessions) {
    const at = sentToRatingAt(session);
    if (at === null) continue;
    senders.push(session);
    sentAt.push(at);
  }
  const { sent, started, conversation } = RULES.satisfaction;
  return ({ submittedAt }) => {
    const sender = senders[countUpTo(sentAt, submittedAt) - 1];
    if (sender) return { session: sender, rule: sent };
    const session = sessions[countUpTo(starts, submittedAt) - 1] ?? null;
    return { session, rule: session ? started : conversation };
  };
}

/** An explicit resolution outranks the rating; empty without both, or without a survey. */
export function resolutionYesNo(survey: ConversationSurvey | null): 'Yes' | 'No' | '' {
  if (!survey) return '';
  if (survey.resolution !== null) return survey.resolution === 1 ? 'Yes' : 'No';
  if (survey.rating === null) return '';
  return survey.rating >= LOWEST_SATISFIED_RATING ? 'Yes' : 'No';
}
