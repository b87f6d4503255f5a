import { hasCodePoints } from '@cxp/service-kit';
import {
  firstControlId,
  MAX_ANSWER_CHARACTERS,
  questionField,
  type QuestionKind,
  refuse,
  textProblems,
  typedIn,
  unifyLineBreaks,
  valueCell,
  wholeAnswer,
} from './question-kind';

export const text: QuestionKind = {
  hasOneControl: true,
  canBeCleared: false,
  hint: (_, { writeFreely }) => writeFreely,

  *controls({ question, typed, describedBy, isFaulty }) {
    const name = questionField(question);
    yield (
      <textarea
        id={firstControlId(question)}
        name={name}
        rows={4}
        // Whether it is empty can be seen by its placeholder.
        placeholder=" "
        dir="auto"
        aria-describedby={describedBy}
        aria-invalid={isFaulty}
      >
        {/* The first line break of a textarea's content is not its own. */}
        {'\n' + typedIn(typed, question).join('\n')}
      </textarea>
    );
  },

  shows: () => (_, part) => part === undefined,

  checkSubmitted(_, answer) {
    if (typeof answer !== 'string') return refuse('string_type');
    if (answer.includes('\0') || !answer.isWellFormed()) return refuse('string_unicode');
    const unified = unifyLineBreaks(answer);
    if (!hasCodePoints(unified, 0, MAX_ANSWER_CHARACTERS)) return refuse('string_too_long');
    return unified.trim() === '' ? {} : { answer: unified };
  },

  checkRecorded: textProblems,
  columns: (question) => [wholeAnswer(question, valueCell)],
};
