import type { InvalidItem } from '@cxp/error-envelopes';
import { titleOf, type SurveyQuestion } from '../campaigns/survey-question';
import { isJsonObject, type Answers } from './answers';

/**
 * Everything in `answers` that does not fit the questions of its campaign. A question that is left out, or `null`, was
 * not answered. Any text is a choice, because an option that has no id is stored as its text.
 * @returns items whose `loc` starts at the response: `["answers", "12", "3"]`
 */
export function answerProblems(answers: Answers, questions: readonly SurveyQuestion[]): InvalidItem[] {
  const byId = new Map(questions.map((question) => [String(question.id), question]));
  return Object.entries(answers).flatMap(([questionId, answer]) => {
    const question = byId.get(questionId);
    const problems = question
      ? problemsOf(question, answer)
      : [problem([], 'The campaign has no such question', 'unknown_question')];
    return problems.map((item) => ({ ...item, loc: ['answers', questionId, ...item.loc] }));
  });
}

function problemsOf(question: SurveyQuestion, answer: unknown): InvalidItem[] {
  if (answer === null) return [];
  switch (question.type) {
    case 'text':
    case 'multiple_choice':
      return textProblems(answer);
    case 'checkbox':
      return checkboxProblems(answer);
    case 'matrix':
      return matrixProblems(question, answer);
    case 'ranking':
      return rankingProblems(question, answer);
  }
}

function textProblems(answer: unknown): InvalidItem[] {
  return typeof answer === 'string' ? [] : [problem([], 'Input should be a valid string', 'string_type')];
}

function checkboxProblems(answer: unknown): InvalidItem[] {
  if (!Array.isArray(answer)) return [problem([], 'Input should be a valid list', 'list_type')];
  return answer.flatMap((choice, index) => textProblems(choice).map((item) => ({ ...item, loc: [index] })));
}

function matrixProblems(question: SurveyQuestion, answer: unknown): InvalidItem[] {
  return entryProblems(answer, ([rowId, column]) => {
    if (titleOf(question.row_titles_by_id, rowId) === undefined) return ['Unknown row', 'unknown_row'];
    const known = typeof column === 'string' && question.column_titles?.includes(column);
    return known ? undefined : ['Unknown column', 'unknown_column'];
  });
}

function rankingProblems(question: SurveyQuestion, answer: unknown): InvalidItem[] {
  const ranks = Object.keys(question.option_titles_by_id ?? {}).length;
  return entryProblems(answer, ([optionId, rank]) => {
    if (titleOf(question.option_titles_by_id, optionId) === undefined)
      return ['Unknown option', 'unknown_option'];
    const fits = Number.isInteger(rank) && Number(rank) >= 1 && Number(rank) <= ranks;
    return fits ? undefined : [`Input should be a rank from 1 to ${ranks}`, 'rank_out_of_range'];
  });
}

function entryProblems(
  answer: unknown,
  check: (entry: [key: string, value: unknown]) => [msg: string, type: string] | undefined,
): InvalidItem[] {
  if (!isJsonObject(answer)) return [problem([], 'Input should be a valid dictionary', 'dict_type')];
  return Object.entries(answer).flatMap((entry) => {
    const broken = check(entry);
    return broken ? [problem([entry[0]], ...broken)] : [];
  });
}

function problem(loc: (string | number)[], msg: string, type: string): InvalidItem {
  return { loc, msg, type };
}
