import type { VNode } from 'preact';
import type { MetricType } from '@cxp/records';
import type { Cell } from '@cxp/spreadsheet';
import { sortedTitles, type SurveyQuestion, titleOf, type TitlesById } from '../campaigns/survey-question';
import {
  type AnswerColumn,
  type Choices,
  type ControlsProps,
  firstControlId,
  type HintTexts,
  idLookup,
  listCell,
  problem,
  questionField,
  type QuestionKind,
  textProblems,
  unifyLineBreaks,
  valueCell,
  wholeAnswer,
} from './question-kind';

export const checkbox: QuestionKind = {
  hasOneControl: false,
  canBeCleared: false,
  hint: (_, { chooseSeveral }) => chooseSeveral,
  controls: (props) => optionControls(props, 'checkbox'),
  choices: optionChoices,

  checkTyped({ option_titles_by_id }, { own }) {
    const chosen = own.map(idLookup(option_titles_by_id));
    return chosen.includes(undefined) ? { problem: 'unknown_choice' } : { answer: [...new Set(chosen)] };
  },

  checkRecorded(answer) {
    if (!Array.isArray(answer)) return [problem([], 'Input should be a valid list', 'list_type')];
    return answer.flatMap((choice, index) => textProblems(choice).map((item) => ({ ...item, loc: [index] })));
  },

  columns: selectionColumn,
};

export const multipleChoice: QuestionKind = {
  hasOneControl: false,
  canBeCleared: true,
  hint: (question, { choosePoint, chooseOne }) => (pointsOf(question) ? choosePoint : chooseOne),

  controls(props) {
    const points = pointsOf(props.question);
    return points ? scaleControls(props, points) : optionControls(props, 'radio');
  },

  choices: optionChoices,

  checkTyped({ option_titles_by_id }, { own: [choice = '', ...others] }) {
    const answer = idLookup(option_titles_by_id)(choice);
    if (others.length > 0) return { problem: 'changed_question' };
    return answer === undefined ? { problem: 'unknown_choice' } : { answer };
  },

  // Any text is a choice, because an option that has no id is stored as its text.
  checkRecorded: textProblems,
  columns: selectionColumn,
};

function optionChoices({ option_titles_by_id }: SurveyQuestion): Choices {
  return { values: idLookup(option_titles_by_id) };
}

function selectionColumn(question: SurveyQuestion): AnswerColumn[] {
  return [wholeAnswer(question, (answer) => selectionCell(answer, question.option_titles_by_id))];
}

/** Option ids as their titles; a choice that is no option is the text of an "other". */
function selectionCell(answer: unknown, titles: TitlesById | null): Cell {
  if (Array.isArray(answer)) return listCell(answer.map((choice) => selectionCell(choice, titles)));
  return typeof answer === 'string' ? (titleOf(titles, answer) ?? answer) : valueCell(answer);
}

/** Options below each other. */
function* optionControls({ question, typed }: ControlsProps, type: 'radio' | 'checkbox'): Generator<VNode> {
  const name = questionField(question);
  const isChosen = choiceOf(typed.own);
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

/** More are a list. */
const MAX_POINTS = 20;

/** The points of a scale that fit side by side: `0` to `10`, or faces. */
function pointsOf({ metric_type, option_titles_by_id }: SurveyQuestion): readonly TileOption[] | undefined {
  const points = sortedTitles(option_titles_by_id).map(([value, title]) => ({ value, title }));
  const isScale =
    metric_type !== null && points.length <= MAX_POINTS && points.every(({ title }) => isShort(title));
  return isScale ? points : undefined;
}

function* scaleControls(
  { question, texts, typed }: ControlsProps,
  points: readonly TileOption[],
): Generator<VNode> {
  const titles = points.map(({ title }) => title);
  yield (
    <Tiles
      name={questionField(question)}
      firstId={firstControlId(question)}
      options={points}
      className={tilesClass(titles)}
      chosen={typed.own}
    />
  );
  const ends = endsOf(question.metric_type!, titles, texts);
  if (!ends) return;
  yield (
    <p class="ends" lang={texts.language}>
      <span dir="auto">{`${titles[0]} – ${ends[0]}`}</span>{' '}
      <span dir="auto">{`${titles.at(-1)} – ${ends[1]}`}</span>
    </p>
  );
}

/** The words for the ends of a scale whose meaning is known: 0 to 10 of NPS, or from 1. */
function endsOf(
  metric: MetricType,
  titles: readonly string[],
  { scaleEnds }: HintTexts,
): readonly [string, string] | undefined {
  const start = metric === 'nps' ? 0 : 1;
  const isKnown = metric === 'nps' ? titles.length === 11 : titles.length > 2;
  return isKnown && titles.every((title, index) => title === String(start + index))
    ? scaleEnds[metric]
    : undefined;
}

interface TileOption {
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
function choiceOf(sent: readonly string[]): (value: string) => boolean {
  const values = new Set(sent.map(unifyLineBreaks));
  return (value) => values.has(unifyLineBreaks(value));
}

/** As many stay large enough side by side: apart, or joined on a phone. */
const [MAX_APART, MAX_JOINED] = [7, 11];

export function tilesClass(titles: readonly string[]): string {
  const count = titles.length;
  if (!titles.every(isShort)) {
    const line = count <= MAX_APART ? ' line' : '';
    const onPhone = count === 3 && titles.every(fitsInThird) ? ' three' : count % 2 === 1 ? ' odd' : '';
    return `tiles words${line}${onPhone}`;
  }
  if (count <= MAX_APART) return 'tiles line';
  return count <= MAX_JOINED ? 'tiles line joined' : 'tiles';
}

/** Of a phone's width, in two lines. */
function fitsInThird(title: string): boolean {
  return title.length <= 20 && title.split(/\s/).every((word) => word.length <= 10);
}

/** Longer titles are words, which need a line of their own. */
const MAX_TILE_CHARACTERS = 3;

function isShort(title: string): boolean {
  // A family of faces is one of them, and up to eleven code units.
  return title.length <= 16 && [...graphemes.segment(title)].length <= MAX_TILE_CHARACTERS;
}

const graphemes = new Intl.Segmenter('vi', { granularity: 'grapheme' });
