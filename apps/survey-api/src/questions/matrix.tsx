import { createHash } from 'node:crypto';
import { sortedTitles } from '../campaigns/survey-question';
import {
  answerByKey,
  entryProblems,
  firstControlId,
  idLookup,
  lookup,
  questionField,
  type QuestionKind,
  textProblems,
  typedIn,
} from './question-kind';
import { Tiles, tilesClass } from './choices';

export const matrix: QuestionKind = {
  hasOneControl: false,
  canBeCleared: true,
  hint: (_, { chooseInEachRow }) => chooseInEachRow,

  *controls({ question, typed }) {
    const columns = question.column_titles ?? [];
    const options = columns.map((title) => ({ value: columnValue(title), title }));
    const className = tilesClass(columns);
    let firstId: string | undefined = firstControlId(question);
    for (const [id, title] of sortedTitles(question.row_titles_by_id)) {
      const name = questionField(question, id);
      const chosen = typedIn(typed, id);
      yield (
        <fieldset class="row">
          <legend dir="auto">{title}</legend>
          <Tiles name={name} firstId={firstId} options={options} className={className} chosen={chosen} />
        </fieldset>
      );
      firstId = undefined;
    }
  },

  choices: ({ row_titles_by_id, column_titles }) => ({
    parts: idLookup(row_titles_by_id),
    values: lookup(column_titles ?? [], columnValue),
  }),

  checkTyped({ row_titles_by_id, column_titles }, { parts }) {
    const [rowOf, columnOf] = [idLookup(row_titles_by_id), lookup(column_titles ?? [], columnValue)];
    const rows: [string, string][] = [];
    for (const [part, [value = '', ...others]] of parts) {
      const [row, column] = [rowOf(part), columnOf(value)];
      if (others.length > 0 || row === undefined) return { problem: 'changed_question' };
      if (column === undefined) return { problem: 'unknown_choice' };
      rows.push([row, column]);
    }
    return { answer: Object.fromEntries(rows) };
  },

  checkRecorded: (answer) => entryProblems(answer, textProblems),
  columns: (question) => answerByKey(question, question.row_titles_by_id),
};

/** Longer titles would make the page of a large matrix twice as long. */
const MAX_VALUE_CHARACTERS = 60;

/** What a form sends for a column. It stays that of its title when the campaign is edited, and people can read it. */
function columnValue(title: string): string {
  if (title.length <= MAX_VALUE_CHARACTERS) return title;
  const digest = createHash('sha256').update(title).digest('base64url');
  return `${title.slice(0, MAX_VALUE_CHARACTERS / 2).toWellFormed()}… ${digest.slice(0, 16)}`;
}
