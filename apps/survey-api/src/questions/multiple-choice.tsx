import type { VNode } from 'preact';
import { sortedTitles, type SurveyQuestion } from '../campaigns/survey-question';
import {
  type ControlsProps,
  firstControlId,
  type HintTexts,
  questionField,
  type QuestionKind,
  textProblems,
  typedIn,
} from './question-kind';
import {
  choiceCheck,
  isShort,
  optionControls,
  selectionColumn,
  showsOptions,
  type TileOption,
  Tiles,
  tilesClass,
} from './choices';

export const multipleChoice: QuestionKind = {
  hasOneControl: false,
  canBeCleared: true,
  hint: (question, { choosePoint, chooseOne }) => (scaleOf(question) ? choosePoint : chooseOne),
  controls(props) {
    const scale = scaleOf(props.question);
    return scale ? scaleControls(props, scale) : optionControls(props, 'radio');
  },
  shows: showsOptions,
  checkSubmitted: (question, answer) => choiceCheck(question)(answer),
  // Any text is a choice, because an option that has no id is stored as its text.
  checkRecorded: textProblems,
  columns: selectionColumn,
};

/** A scale whose points fit side by side: `0` to `10`, or faces. */
interface Scale {
  readonly points: readonly TileOption[];
  /** The campaign's words for the first point and the last; empty: none. */
  readonly ends: readonly [first: string, last: string];
}

/** @returns undefined for options that are a list */
function scaleOf({ metric_type, option_titles_by_id, column_titles }: SurveyQuestion): Scale | undefined {
  if (metric_type === null) return undefined;
  const points = sortedTitles(option_titles_by_id).map(([value, title]) => ({ value, title }));
  if (points.length > MAX_POINTS || !points.every(({ title }) => isShort(title))) return undefined;
  const ends = column_titles && column_titles.length > 1 ? column_titles : [];
  return { points, ends: [ends[0] ?? '', ends.at(-1) ?? ''] };
}

/** More are a list. */
const MAX_POINTS = 20;

function* scaleControls(
  { question, texts, typed }: ControlsProps,
  { points, ends }: Scale,
): Generator<VNode> {
  const name = questionField(question);
  const titles = points.map(({ title }) => title);
  yield (
    <Tiles
      name={name}
      firstId={firstControlId(question)}
      options={points}
      className={tilesClass(titles)}
      chosen={typedIn(typed, question)}
    />
  );
  const [first, last] = ends.some((end) => end !== '') ? ends : (ourEnds(question, titles, texts) ?? []);
  if (first === undefined || last === undefined) return;
  yield (
    <p class="ends">
      <End point={titles[0]} label={first} /> <End point={titles.at(-1)} label={last} />
    </p>
  );
}

function End({ point, label }: { point: string | undefined; label: string }): VNode {
  return <span dir="auto">{label && `${point} – ${label}`}</span>;
}

/** Of scales whose meaning is known. */
function ourEnds(
  { metric_type }: SurveyQuestion,
  titles: readonly string[],
  { scaleEnds }: HintTexts,
): readonly [string, string] | undefined {
  if (metric_type === null) return undefined;
  const start = metric_type === 'nps' ? 0 : 1;
  const isKnown = metric_type === 'nps' ? titles.length === 11 : titles.length > 2;
  return isKnown && titles.every((title, index) => title === String(start + index))
    ? scaleEnds[metric_type]
    : undefined;
}
