import { sortedTitles } from '../campaigns/survey-question';
import {
  answerByKey,
  checkEntries,
  entryProblems,
  firstControlId,
  idLookup,
  lookup,
  questionField,
  type QuestionKind,
  textProblems,
  typedIn,
  valueCell,
} from './question-kind';
import { Tiles, tilesClass } from './choices';

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
      const chosen = typedIn(typed, question, id);
      yield (
        <fieldset class="row">
          <legend dir="auto">{title}</legend>
          <Tiles name={name} firstId={firstId} options={options} className={className} chosen={chosen} />
        </fieldset>
      );
      firstId = undefined;
    }
  },

  shows({ row_titles_by_id, column_titles }) {
    const [rowOf, columnOf] = [idLookup(row_titles_by_id), lookup(column_titles ?? [])];
    return (value, part) => part !== undefined && rowOf(part) !== undefined && columnOf(value) !== undefined;
  },

  checkSubmitted({ row_titles_by_id, column_titles }, answer) {
    const [rowOf, columnOf] = [idLookup(row_titles_by_id), lookup(column_titles ?? [])];
    return checkEntries(answer, (row, column) => {
      const key = rowOf(row);
      if (key === undefined) return 'unknown_row';
      if (typeof column !== 'string') return 'string_type';
      const title = columnOf(column);
      return title === undefined ? 'unknown_column' : { key, answer: title };
    });
  },

  checkRecorded: (answer) => entryProblems(answer, textProblems),
  columns: (question) => answerByKey(question, question.row_titles_by_id, valueCell),
};
