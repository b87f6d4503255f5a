import type { InvalidItem } from '@cxp/error-envelopes';
import type { SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import { refuse, type AnswerProblemType, type Checked, type LocalProblem } from '../questions/question-kind';
import { MAX_TEXT_CHARACTERS } from '../questions/text';
import type { Answers, JsonObject } from '../responses/answers';

/** The sentences that a program reads. */
const PROBLEM_MESSAGES: Readonly<Record<AnswerProblemType, string>> = {
  unknown_question: 'The survey has no such question',
  unknown_option: 'The question has no such option',
  unknown_row: 'The question has no such row',
  unknown_column: 'The question has no such column',
  duplicate_option: 'Each option can be chosen once only',
  rank_out_of_range: 'Input should be a rank from 1 to the number of options',
  rank_tied: 'Each rank can be given once only',
  string_too_long: `String should have at most ${MAX_TEXT_CHARACTERS} characters`,
  string_unicode: 'String should be Unicode text without NUL',
  string_type: 'Input should be a valid string',
  list_type: 'Input should be a valid list',
  dict_type: 'Input should be a valid dictionary',
};

export interface AnswerProblem extends LocalProblem {
  readonly questionId: string;
}

export interface CheckedAnswers {
  /** The answered questions only, in the structure that responses are stored in. */
  readonly answers: Answers;
  readonly problems: readonly AnswerProblem[];
}

/** Holds what was submitted against the questions as they are now. Every question may be left out, or left empty. */
export function checkSubmittedAnswers(
  submitted: JsonObject,
  questions: readonly SurveyQuestion[],
): CheckedAnswers {
  const byId = new Map(questions.map((question) => [String(question.id), question]));
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

/** A problem as the area's 422 lists it. */
export function problemItem({ questionId, path, type }: AnswerProblem): InvalidItem {
  return { loc: ['body', 'answers', questionId, ...path], msg: PROBLEM_MESSAGES[type], type };
}

function checkAnswer(question: SurveyQuestion | undefined, answer: unknown): Checked<unknown> {
  if (!question) return refuse('unknown_question');
  return answer === null || answer === ''
    ? {}
    : QUESTION_KINDS[question.type].checkSubmitted(question, answer);
}
