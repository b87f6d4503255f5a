import { isVisibleText } from '@cxp/identifiers';
import { sortedTitles } from '../campaigns/survey-question';
import {
  answerByKey,
  entryProblems,
  firstControlId,
  idLookup,
  problem,
  questionField,
  type QuestionKind,
  typedIn,
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
            value={typedIn(typed, optionId).join(' ') || undefined}
            aria-describedby={describedBy}
            aria-invalid={isFaulty}
          />
        </div>
      );
    }
  },

  choices: ({ option_titles_by_id }) => ({ parts: idLookup(option_titles_by_id) }),

  checkTyped({ option_titles_by_id }, { parts }) {
    const optionOf = idLookup(option_titles_by_id);
    const last = Object.keys(option_titles_by_id ?? {}).length;
    const ranks = new Map<string, number>();
    for (const [part, values] of parts) {
      const typed = values.join();
      if (!isVisibleText(typed)) continue;
      const [option, rank] = [optionOf(part), rankOf(typed)];
      if (option === undefined) return { problem: 'unknown_choice' };
      if (!isRank(rank) || rank > last) return { problem: 'rank_out_of_range' };
      ranks.set(option, rank);
    }
    if (ranks.size === 0) return { answer: undefined };
    const isTied = new Set(ranks.values()).size < ranks.size;
    return isTied ? { problem: 'rank_tied' } : { answer: Object.fromEntries(ranks) };
  },

  checkRecorded: (answer) =>
    entryProblems(answer, (rank) =>
      isRank(rank) ? [] : [problem([], 'Input should be a rank from 1', 'rank_out_of_range')],
    ),
  columns: (question) => answerByKey(question, question.option_titles_by_id),
};

function isRank(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

/** In digits of any script; NaN for another text. */
function rankOf(typed: string): number {
  if (!/^\s*\p{Nd}{1,9}\s*$/u.test(typed)) return NaN;
  return Number(typed.replace(/\p{Nd}/gu, (digit) => String(valueOfDigit(digit.codePointAt(0)!))));
}

const DIGIT = /\p{Nd}/u;

/** Unicode has the digits of a script in a row, from zero to nine, and those of some scripts behind each other. */
function valueOfDigit(codePoint: number): number {
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return before % 10;
}
