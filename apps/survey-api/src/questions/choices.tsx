import type { VNode } from 'preact';
import type { Cell } from '@cxp/spreadsheet';
import { sortedTitles, type SurveyQuestion, titleOf, type TitlesById } from '../campaigns/survey-question';
import {
  type AnswerColumn,
  type Checked,
  type ControlsProps,
  firstControlId,
  idLookup,
  listCell,
  questionField,
  refuse,
  typedIn,
  unifyLineBreaks,
  valueCell,
  wholeAnswer,
} from './question-kind';

/** Options below each other. */
export function* optionControls(
  { question, typed }: ControlsProps,
  type: 'radio' | 'checkbox',
): Generator<VNode> {
  const name = questionField(question);
  const isChosen = choiceOf(typedIn(typed, question));
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

export function choiceCheck({ option_titles_by_id }: SurveyQuestion): (choice: unknown) => Checked<string> {
  const optionOf = idLookup(option_titles_by_id);
  return (choice) => {
    if (typeof choice !== 'string') return refuse('string_type');
    const answer = optionOf(choice);
    return answer === undefined ? refuse('unknown_option') : { answer };
  };
}

export function showsOptions({ option_titles_by_id }: SurveyQuestion) {
  const optionOf = idLookup(option_titles_by_id);
  return (value: string, part: string | undefined) => part === undefined && optionOf(value) !== undefined;
}

export function selectionColumn(question: SurveyQuestion): AnswerColumn[] {
  return [wholeAnswer(question, (answer) => selectionCell(answer, question.option_titles_by_id))];
}

/** Option ids as their titles; a choice that is no option is the text of an "other". */
function selectionCell(answer: unknown, titles: TitlesById | null): Cell {
  if (Array.isArray(answer)) return listCell(answer.map((choice) => selectionCell(choice, titles)));
  return typeof answer === 'string' ? (titleOf(titles, answer) ?? answer) : valueCell(answer);
}

export interface TileOption {
  readonly value: string;
  readonly title: string;
}

interface TilesProps {
  readonly name: string;
  readonly firstId: string | undefined;
  readonly options: readonly TileOption[];
  readonly className: string;
  readonly chosen: readonly string[];
}

/** Options side by side, one of which can be chosen. */
export function Tiles({ name, firstId, options, className, chosen }: TilesProps): VNode {
  const isChosen = choiceOf(chosen);
  return (
    <div class={className}>
      {options.map(({ value, title }, index) => (
        <label class="tile" key={value}>
          <input
            type="radio"
            id={index === 0 ? firstId : undefined}
            name={name}
            value={value}
            checked={isChosen(value)}
          />
          <span dir="auto">{title}</span>
        </label>
      ))}
    </div>
  );
}

/** Whether a value was sent. Line breaks in a value are changed on their way through a form. */
export function choiceOf(sent: readonly string[]): (value: string) => boolean {
  if (sent.length === 0) return () => false;
  const values = new Set(sent.map(unifyLineBreaks));
  return (value) => values.has(unifyLineBreaks(value));
}

/** As many stay large enough side by side: apart, or joined on a phone. */
const [MAX_APART, MAX_JOINED] = [7, 11];

export function tilesClass(titles: readonly string[]): string {
  const count = titles.length;
  if (!titles.every(isShort)) return count <= MAX_APART ? 'tiles words line' : 'tiles words';
  if (count <= MAX_APART) return 'tiles line';
  return count <= MAX_JOINED ? 'tiles line joined' : 'tiles';
}

/** Longer titles are words, which need a line of their own. */
const MAX_TILE_CHARACTERS = 3;

export function isShort(title: string): boolean {
  // A family of faces is one of them, and up to eleven code units.
  return title.length <= 16 && [...graphemes.segment(title)].length <= MAX_TILE_CHARACTERS;
}

const graphemes = new Intl.Segmenter('vi', { granularity: 'grapheme' });
