import type { QuestionType } from '@cxp/platform-records';
import { checkbox } from './checkbox';
import { matrix } from './matrix';
import { multipleChoice } from './multiple-choice';
import type { QuestionKind } from './question-kind';
import { ranking } from './ranking';
import { text } from './text';

/** The types of questions. The compiler points here when the records have a new one. */
export const QUESTION_KINDS: Readonly<Record<QuestionType, QuestionKind>> = {
  text,
  multiple_choice: multipleChoice,
  checkbox,
  matrix,
  ranking,
};
