import type { InvalidItem } from '@cxp/error-envelopes';
import { hasCodePoints } from '@cxp/service-kit';
import { titleOf, type SurveyQuestion } from '../campaigns/survey-question';
import { isJsonObject, type Answers, type JsonObject } from '../responses/answers';
import { unifyLineBreaks } from './form-fields';

/** The longest text answer, in Unicode code points. */
export const MAX_TEXT_CHARACTERS = 5_000;

/** What can be wrong with an answer, with the sentence that a program reads. */
const PROBLEM_MESSAGES = {
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
} as const;

export type AnswerProblemType = keyof typeof PROBLEM_MESSAGES;

export interface AnswerProblem {
  readonly questionId: string;
  /** The row or option within the question, if it is one. */
  readonly path: readonly (string | number)[];
  readonly type: AnswerProblemType;
}

export interface JudgedAnswers {
  /** The answered questions only, in the structure that responses are stored in. */
  readonly answers: Answers;
  readonly problems: readonly AnswerProblem[];
}

/** The answer to one question; nothing when it was not answered. */
type Judged<Answer> = { readonly answer?: Answer } | { readonly problems: readonly LocalProblem[] };
type LocalProblem = Omit<AnswerProblem, 'questionId'>;

/** Holds what was submitted against the questions as they are now. Every question may be left out, or left empty. */
export function judgeAnswers(submitted: JsonObject, questions: readonly SurveyQuestion[]): JudgedAnswers {
  const byId = new Map(questions.map((question) => [String(question.id), question]));
  const answers: [string, unknown][] = [];
  const problems: AnswerProblem[] = [];
  for (const [questionId, submittedAnswer] of Object.entries(submitted)) {
    const question = byId.get(questionId);
    const judged: Judged<unknown> = question
      ? judgeAnswer(question, submittedAnswer)
      : refuse('unknown_question');
    if ('problems' in judged)
      problems.push(...judged.problems.map((problem) => ({ questionId, ...problem })));
    else if (judged.answer !== undefined) answers.push([questionId, judged.answer]);
  }
  return { answers: Object.fromEntries(answers), problems };
}

/** A problem as the area's 422 lists it. */
export function problemItem({ questionId, path, type }: AnswerProblem): InvalidItem {
  return { loc: ['body', 'answers', questionId, ...path], msg: PROBLEM_MESSAGES[type], type };
}

function judgeAnswer(question: SurveyQuestion, answer: unknown): Judged<unknown> {
  if (answer === null || answer === '') return {};
  switch (question.type) {
    case 'text':
      return judgeText(answer);
    case 'multiple_choice':
      return judgeChoice(question, answer);
    case 'checkbox':
      return judgeChoices(question, answer);
    case 'matrix':
      return judgeMatrix(question, answer);
    case 'ranking':
      return judgeRanking(question, answer);
  }
}

function judgeText(answer: unknown): Judged<string> {
  if (typeof answer !== 'string') return refuse('string_type');
  if (answer.includes('\0') || !answer.isWellFormed()) return refuse('string_unicode');
  const text = unifyLineBreaks(answer);
  if (!hasCodePoints(text, 0, MAX_TEXT_CHARACTERS)) return refuse('string_too_long');
  return text.trim() === '' ? {} : { answer: text };
}

function judgeChoice({ option_titles_by_id: options }: SurveyQuestion, answer: unknown): Judged<string> {
  if (typeof answer !== 'string') return refuse('string_type');
  return titleOf(options, answer) === undefined ? refuse('unknown_option') : { answer };
}

function judgeChoices(question: SurveyQuestion, answer: unknown): Judged<readonly string[]> {
  if (!Array.isArray(answer)) return refuse('list_type');
  const chosen = new Set<unknown>();
  const problems = answer.flatMap((choice: unknown, index): LocalProblem[] => {
    const judged = judgeChoice(question, choice);
    if ('problems' in judged) return judged.problems.map(({ type }) => ({ path: [index], type }));
    const isRepeated = chosen.has(choice);
    chosen.add(choice);
    return isRepeated ? [{ path: [index], type: 'duplicate_option' }] : [];
  });
  if (problems.length > 0) return { problems };
  return answer.length === 0 ? {} : { answer: answer as string[] };
}

function judgeMatrix(question: SurveyQuestion, answer: unknown): Judged<Readonly<Record<string, string>>> {
  return judgeEntries(answer, (rowId, submitted) => {
    if (titleOf(question.row_titles_by_id, rowId) === undefined) return 'unknown_row';
    if (typeof submitted !== 'string') return 'string_type';
    const column = question.column_titles?.find((title) => sameText(title, submitted));
    return column === undefined ? 'unknown_column' : { answer: column };
  });
}

function judgeRanking(question: SurveyQuestion, answer: unknown): Judged<Readonly<Record<string, number>>> {
  const options = question.option_titles_by_id ?? {};
  const ranks = Object.keys(options).length;
  const judged = judgeEntries(answer, (optionId, rank) => {
    if (titleOf(options, optionId) === undefined) return 'unknown_option';
    const isRank = typeof rank === 'number' && Number.isInteger(rank) && rank >= 1 && rank <= ranks;
    return isRank ? { answer: rank } : 'rank_out_of_range';
  });
  if ('problems' in judged || judged.answer === undefined) return judged;
  const given = Object.entries(judged.answer);
  const tied = given.filter(([id, rank]) => given.some(([other, its]) => other !== id && its === rank));
  return tied.length === 0 ? judged : { problems: tied.map(([id]) => ({ path: [id], type: 'rank_tied' })) };
}

/** Judges each entry of an object; those that are empty were not answered. */
function judgeEntries<Answer>(
  submitted: unknown,
  judge: (key: string, value: unknown) => AnswerProblemType | { answer: Answer },
): Judged<Readonly<Record<string, Answer>>> {
  if (!isJsonObject(submitted)) return refuse('dict_type');
  const answers: [string, Answer][] = [];
  const problems: LocalProblem[] = [];
  for (const [key, value] of Object.entries(submitted)) {
    if (value === null || value === '') continue;
    const judged = judge(key, value);
    if (typeof judged === 'string') problems.push({ path: [key], type: judged });
    else answers.push([key, judged.answer]);
  }
  if (problems.length > 0) return { problems };
  return answers.length === 0 ? {} : { answer: Object.fromEntries(answers) };
}

function refuse(type: AnswerProblemType): { problems: readonly LocalProblem[] } {
  return { problems: [{ path: [], type }] };
}

/** Line breaks in a title are changed on their way through a form. */
function sameText(left: string, right: string): boolean {
  return left === right || unifyLineBreaks(left) === unifyLineBreaks(right);
}
