import type { VNode } from 'preact';
import { sortedTitles, titleOf, type SurveyQuestion, type TitlesById } from '../campaigns/survey-question';
import type { Cell } from '@cxp/spreadsheet';
import { listCell, valueCell } from './cell';
import { questionField } from './form-field';
import {
  firstControlId,
  refuse,
  wholeAnswer,
  type AnswerColumn,
  type Checked,
  type ControlsProps,
} from './question-kind';
import { choiceOf } from './tiles';

/** Options below each other. */
export function* optionControls(
  { question, typed }: ControlsProps,
  type: 'radio' | 'checkbox',
): Generator<VNode> {
  const name = questionField(question);
  const isChosen = choiceOf(typed.get(name) ?? []);
  let id: string | undefined = firstControlId(question);
  for (const [value, title] of sortedTitles(question.option_titles_by_id)) {
    yield (
      <label class="option">
        <input type={type} id={id} name={name} value={value} checked={isChosen(value)} />
        <span dir="auto">{title}</span>
      </label>
    );
    id = undefined;
  }
}

export function checkChoice(
  { option_titles_by_id: options }: SurveyQuestion,
  answer: unknown,
): Checked<string> {
  if (typeof answer !== 'string') return refuse('string_type');
  return titleOf(options, answer) === undefined ? refuse('unknown_option') : { answer };
}

/** Any other choice is the text of an "other", or was an option. */
export function isOption({ option_titles_by_id: options }: SurveyQuestion, choice: unknown): boolean {
  return typeof choice === 'string' && titleOf(options, choice) !== undefined;
}

export function selectionColumn(question: SurveyQuestion): AnswerColumn[] {
  return [wholeAnswer(question, (answer) => selectionCell(answer, question.option_titles_by_id))];
}

/** Option ids as their titles; a choice that is no option is the text of an "other". */
function selectionCell(answer: unknown, titles: TitlesById | null): Cell {
  if (Array.isArray(answer)) return listCell(answer.map((choice) => selectionCell(choice, titles)));
  return typeof answer === 'string' ? (titleOf(titles, answer) ?? answer) : valueCell(answer);
}
