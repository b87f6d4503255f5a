import type { QuestionType } from '@cxp/records';
import type { InvalidItem } from '@cxp/error-envelopes';
import { checkbox } from './checkbox';
import { matrix } from './matrix';
import { multipleChoice } from './multiple-choice';
import { type Checked, type LocalProblem, type QuestionKind, refuse } from './question-kind';
import { ranking } from './ranking';
import { text } from './text';
import {
  type Answers,
  type JsonObject,
  type QuestionsById,
  questionsById,
  type SurveyQuestion,
} from '../campaigns/survey-question';

/** The compiler refuses a missing type. */
export const QUESTION_KINDS: Readonly<Record<QuestionType, QuestionKind>> = {
  text,
  multiple_choice: multipleChoice,
  checkbox,
  matrix,
  ranking,
};

/**
 * Finds what contradicts a question's type. Omitted and `null` answers are no problem, nor is an unknown question: campaigns
 * are edited and their history is sent again.
 * @returns items whose `loc` starts at the response: `["answers", "12", "3"]`
 */
export function* checkRecordedAnswers(answers: Answers, questions: QuestionsById): Generator<InvalidItem> {
  for (const [questionId, answer] of Object.entries(answers)) {
    const question = questions.get(questionId);
    if (!question || answer === null) continue;
    for (const item of QUESTION_KINDS[question.type].checkRecorded(answer)) {
      yield { ...item, loc: ['answers', questionId, ...item.loc] };
    }
  }
}

export interface AnswerProblem extends LocalProblem {
  readonly questionId: string;
}

export interface CheckedAnswers {
  readonly answers: Answers;
  readonly problems: readonly AnswerProblem[];
}

/** Checks against the current questions. Every question is optional. */
export function checkSubmittedAnswers(
  submitted: JsonObject,
  questions: readonly SurveyQuestion[],
): CheckedAnswers {
  const byId = questionsById(questions);
  const answers: [string, unknown][] = [];
  const problems: AnswerProblem[] = [];
  for (const [questionId, answer] of Object.entries(submitted)) {
    const checked = checkAnswer(byId.get(questionId), answer);
    if ('problems' in checked) {
      for (const problem of checked.problems) problems.push({ questionId, ...problem });
    } else if (checked.answer !== undefined) answers.push([questionId, checked.answer]);
  }
  return { answers: Object.fromEntries(answers), problems };
}

function checkAnswer(question: SurveyQuestion | undefined, answer: unknown): Checked<unknown> {
  if (!question) return refuse('unknown_question');
  return answer === null || answer === ''
    ? {}
    : QUESTION_KINDS[question.type].checkSubmitted(question, answer);
}
