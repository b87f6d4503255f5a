import { sortedTitles, titleOf } from '../campaigns/survey-question';
import {
  answerByKey,
  checkEntries,
  entryProblems,
  firstControlId,
  keptEntries,
  questionField,
  type QuestionKind,
  textProblems,
  unifyLineBreaks,
  valueCell,
} from './question-kind';
import { Tiles, tilesClass } from './choices';

/** One of the same columns for each row. */
export const matrix: QuestionKind = {
  hasOneControl: false,
  canBeCleared: true,
  hint: (_, { chooseInEachRow }) => chooseInEachRow,

  *controls({ question, typed }) {
    const columns = question.column_titles ?? [];
    const options = columns.map((title) => ({ value: title, title }));
    const className = tilesClass(columns);
    let firstId: string | undefined = firstControlId(question);
    for (const [id, title] of sortedTitles(question.row_titles_by_id)) {
      const name = questionField(question, id);
      const chosen = typed.get(name) ?? [];
      yield (
        <fieldset class="row">
          <legend dir="auto">{title}</legend>
          <Tiles name={name} firstId={firstId} options={options} className={className} chosen={chosen} />
        </fieldset>
      );
      firstId = undefined;
    }
  },

  checkSubmitted(question, answer) {
    // Line breaks in a title are changed on their way through a form.
    const columns = new Map((question.column_titles ?? []).map((title) => [unifyLineBreaks(title), title]));
    return checkEntries(answer, (rowId, submitted) => {
      if (titleOf(question.row_titles_by_id, rowId) === undefined) return 'unknown_row';
      if (typeof submitted !== 'string') return 'string_type';
      const column = columns.get(unifyLineBreaks(submitted));
      return column === undefined ? 'unknown_column' : { answer: column };
    });
  },

  checkRecorded: (answer) => entryProblems(answer, textProblems),
  columns: (question) => answerByKey(question, question.row_titles_by_id, valueCell),

  withoutTexts({ row_titles_by_id, column_titles }, answer) {
    const columns = new Set<unknown>(column_titles);
    return keptEntries(answer, row_titles_by_id, (column) => columns.has(column));
  },
};
