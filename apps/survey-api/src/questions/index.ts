import type { QuestionType } from '@cxp/records';
import type { InvalidItem } from '@cxp/error-envelopes';
import {
  type Answers,
  type QuestionsById,
  questionsById,
  type SurveyQuestion,
} from '../campaigns/survey-question';
import { checkbox, multipleChoice } from './choices';
import { matrix } from './matrix';
import type { AnswerProblem, Checked, QuestionKind, TypedAnswer } from './question-kind';
import { ranking } from './ranking';
import { text } from './text';

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

/** By question id, which need not be one of the campaign. */
export type TypedAnswers = ReadonlyMap<string, TypedAnswer>;
export type AnswerProblems = ReadonlyMap<string, AnswerProblem>;

/** Checks against the current questions. Every question is optional. */
export function checkTypedAnswers(
  typed: TypedAnswers,
  questions: readonly SurveyQuestion[],
): { answers: Answers; problems: AnswerProblems } {
  const byId = questionsById(questions);
  const answers: [string, unknown][] = [];
  const problems = new Map<string, AnswerProblem>();
  for (const [questionId, sent] of typed) {
    const checked = checkAnswer(byId.get(questionId), sent);
    if ('problem' in checked) problems.set(questionId, checked.problem);
    else if (checked.answer !== undefined) answers.push([questionId, checked.answer]);
  }
  return { answers: Object.fromEntries(answers), problems };
}

function checkAnswer(question: SurveyQuestion | undefined, typed: TypedAnswer): Checked {
  if (!question) return { problem: 'unknown_question' };
  const { choices, checkTyped } = QUESTION_KINDS[question.type];
  const isOfOtherType = choices(question).parts ? typed.own.length > 0 : typed.parts.size > 0;
  return isOfOtherType ? { problem: 'changed_question' } : checkTyped(question, typed);
}

/** The typed values that the controls of a question can't show, since it has changed meanwhile. */
export function unshownValues(question: SurveyQuestion, { own, parts }: TypedAnswer): string[] {
  const { parts: partOf, values: valueOf } = QUESTION_KINDS[question.type].choices(question);
  const isUnknown = (value: string) => valueOf !== undefined && valueOf(value) === undefined;
  return [
    ...own.filter((value) => partOf !== undefined || isUnknown(value)),
    ...[...parts].flatMap(([part, values]) =>
      values.filter((value) => partOf?.(part) === undefined || isUnknown(value)),
    ),
  ];
}
