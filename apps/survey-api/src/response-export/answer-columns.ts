import type { Cell } from '@cxp/spreadsheet';
import { compareIds, titleOf, type SurveyQuestion, type TitlesById } from '../campaigns/survey-question';
import { isJsonObject, type Answers } from '../responses/answers';
import { listCell, valueCell } from './cell';

/** A column of the export that shows answers. */
export interface AnswerColumn {
  readonly name: string;
  readonly value: (answers: Answers) => Cell;
}

/** The question columns, in the order of the questions; matrix and ranking questions have one for each row or option. */
export function answerColumns(questions: readonly SurveyQuestion[]): AnswerColumn[] {
  return questions.flatMap(columnsOf);
}

function columnsOf(question: SurveyQuestion): AnswerColumn[] {
  switch (question.type) {
    case 'text':
      return [wholeAnswer(question, valueCell)];
    case 'multiple_choice':
    case 'checkbox':
      return [wholeAnswer(question, (answer) => selectionCell(answer, question.option_titles_by_id))];
    case 'matrix':
      return answerByKey(question, question.row_titles_by_id);
    case 'ranking':
      return answerByKey(question, question.option_titles_by_id);
  }
}

function wholeAnswer(question: SurveyQuestion, cell: (answer: unknown) => Cell): AnswerColumn {
  const key = String(question.id);
  return {
    name: `Question ${question.id}: ${question.title}`,
    value: (answers) => cell(ownValue(answers, key)),
  };
}

function answerByKey(question: SurveyQuestion, titles: TitlesById | null): AnswerColumn[] {
  const key = String(question.id);
  return Object.entries(titles ?? {})
    .sort(([left], [right]) => compareIds(left, right))
    .map(([id, title]) => ({
      name: `Question ${question.id} - ${id}: ${question.title} - ${title}`,
      value: (answers) => valueCell(ownValue(ownValue(answers, key), id)),
    }));
}

/** Option ids as their titles; a choice that is no option is the text of an "other". */
function selectionCell(answer: unknown, titles: TitlesById | null): Cell {
  if (Array.isArray(answer)) return listCell(answer.map((choice) => selectionCell(choice, titles)));
  return typeof answer === 'string' ? (titleOf(titles, answer) ?? answer) : valueCell(answer);
}

function ownValue(container: unknown, key: string): unknown {
  return isJsonObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}
