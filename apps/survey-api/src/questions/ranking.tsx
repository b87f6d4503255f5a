import { sortedTitles } from '../campaigns/survey-question';
import {
  answerByKey,
  checkEntries,
  entryProblems,
  firstControlId,
  idLookup,
  problem,
  questionField,
  type QuestionKind,
  single,
  typedIn,
  valueCell,
} from './question-kind';

/** A rank from 1 for each option, each rank once. */
export const ranking: QuestionKind = {
  hasOneControl: false,
  canBeCleared: false,
  hint: ({ option_titles_by_id }, texts) => texts.rank(Object.keys(option_titles_by_id ?? {}).length),

  /** A field for each option, not a list of ranks: lists would grow with the square of the options. */
  *controls({ question, typed, describedBy, isFaulty }) {
    const options = sortedTitles(question.option_titles_by_id);
    for (const [index, [optionId, title]] of options.entries()) {
      const name = questionField(question, optionId);
      const controlId = index === 0 ? firstControlId(question) : `q${question.id}-${index}`;
      yield (
        <div class="rank">
          <label for={controlId} dir="auto">
            {title}
          </label>
          <input
            id={controlId}
            name={name}
            // No `autocomplete="off"`: when a respondent goes back from a 422 page, browsers leave such a field empty.
            inputmode="numeric"
            // Whether it is empty can be seen by its placeholder.
            placeholder=" "
            value={typedIn(typed, question, optionId).join(' ') || undefined}
            aria-describedby={describedBy}
            aria-invalid={isFaulty}
          />
        </div>
      );
    }
  },

  readPart: (values) => rankOf(single(values)),

  shows({ option_titles_by_id }) {
    const optionOf = idLookup(option_titles_by_id);
    return (_, part) => part !== undefined && optionOf(part) !== undefined;
  },

  checkSubmitted({ option_titles_by_id }, answer) {
    const optionOf = idLookup(option_titles_by_id);
    const last = Object.keys(option_titles_by_id ?? {}).length;
    const checked = checkEntries(answer, (option, rank) => {
      const key = optionOf(option);
      if (key === undefined) return 'unknown_option';
      return isRank(rank) && rank <= last ? { key, answer: rank } : 'rank_out_of_range';
    });
    if ('problems' in checked || checked.answer === undefined) return checked;
    const uses = new Map<number, number>();
    const given = Object.entries(checked.answer);
    for (const [, rank] of given) uses.set(rank, (uses.get(rank) ?? 0) + 1);
    const tied = given.filter(([, rank]) => uses.get(rank)! > 1);
    return tied.length === 0
      ? checked
      : { problems: tied.map(([id]) => ({ path: [id], type: 'rank_tied' as const })) };
  },

  checkRecorded: (answer) =>
    entryProblems(answer, (rank) =>
      isRank(rank) ? [] : [problem([], 'Input should be a rank from 1', 'rank_out_of_range')],
    ),
  columns: (question) => answerByKey(question, question.option_titles_by_id, valueCell),
};

function isRank(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

/** A text that is no number, in digits of any script, stays as it was typed, and is refused. */
function rankOf(typed: unknown): unknown {
  if (typeof typed !== 'string' || !/^\s*\p{Nd}{1,9}\s*$/u.test(typed)) return typed;
  return Number(typed.replace(/\p{Nd}/gu, (digit) => String(valueOfDigit(digit.codePointAt(0)!))));
}

const DIGIT = /\p{Nd}/u;

/** Unicode has the digits of a script in a row, from zero to nine, and those of some scripts behind each other. */
function valueOfDigit(codePoint: number): number {
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return before % 10;
}
