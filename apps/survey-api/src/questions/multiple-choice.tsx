import type { VNode } from 'preact';
import type { SurveyQuestion } from '../campaigns/survey-question';
import { questionField } from './form-field';
import { checkChoice, isOption, optionControls, selectionColumn } from './options';
import {
  firstControlId,
  sortedTitles,
  textProblems,
  type ControlsProps,
  type QuestionKind,
} from './question-kind';
import { isShort, Tiles, tilesClass } from './tiles';

/** One of several options, or a point of a scale. */
export const multipleChoice: QuestionKind = {
  hasOneControl: false,
  canBeCleared: true,
  hint: (question, { choosePoint, chooseOne }) => (isScale(question) ? choosePoint : chooseOne),
  controls: (props) => (isScale(props.question) ? scaleControls(props) : optionControls(props, 'radio')),
  checkSubmitted: checkChoice,
  // Any text is a choice, because an option that has no id is stored as its text.
  checkRecorded: textProblems,
  columns: selectionColumn,
  withoutTexts: (question, answer) => (isOption(question, answer) ? answer : undefined),
};

/** Whether the options are points of a scale that fit side by side: `0` to `10`, or faces. */
function isScale({ metric_type, option_titles_by_id }: SurveyQuestion): boolean {
  if (metric_type === null) return false;
  const titles = Object.values(option_titles_by_id ?? {});
  return titles.length <= MAX_POINTS && titles.every(isShort);
}

/** More are a list. */
const MAX_POINTS = 20;

const NPS_TITLES = '0,1,2,3,4,5,6,7,8,9,10';

function* scaleControls({ question, texts, typed }: ControlsProps): Generator<VNode> {
  const name = questionField(question);
  const options = sortedTitles(question.option_titles_by_id).map(([value, title]) => ({ value, title }));
  const titles = options.map(({ title }) => title);
  yield (
    <Tiles
      name={name}
      firstId={firstControlId(question)}
      options={options}
      className={tilesClass(titles)}
      chosen={typed.get(name) ?? []}
    />
  );
  if (question.metric_type !== 'nps' || titles.join() !== NPS_TITLES) return;
  yield (
    <p class="ends">
      <span>0 – {texts.leastLikely}</span> <span>10 – {texts.mostLikely}</span>
    </p>
  );
}
