import { isVisibleText } from '@cxp/identifiers';
import { hasCodePoints } from '@cxp/service-kit';
import { isStorable } from '@cxp/storage';
import {
  firstControlId,
  MAX_ANSWER_CHARACTERS,
  questionField,
  type QuestionKind,
  textProblems,
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
        {'\n' + typed.own.join('\n')}
      </textarea>
    );
  },

  choices: () => ({}),

  checkTyped(_, { own: [sent = '', ...others] }) {
    if (others.length > 0) return { problem: 'changed_question' };
    if (!isStorable(sent)) return { problem: 'string_unicode' };
    const answer = unifyLineBreaks(sent);
    if (!hasCodePoints(answer, 0, MAX_ANSWER_CHARACTERS)) return { problem: 'string_too_long' };
    return { answer: isVisibleText(answer) ? answer : undefined };
  },

  checkRecorded: textProblems,
  columns: (question) => [wholeAnswer(question, valueCell)],
};
