import type { VNode } from 'preact';
import { compareIds } from '../../campaigns/survey-question';
import type { SurveyQuestion, TitlesById } from '../../campaigns/survey-question';
import { questionField, unifyLineBreaks, type FormFields } from '../form-fields';
import type { PageTexts } from '../page-texts';

export interface QuestionProps {
  readonly question: SurveyQuestion;
  readonly texts: PageTexts;
  readonly typed: FormFields;
  /** `aria-describedby` of the controls: hint and error of the question. */
  readonly describedBy: string;
  readonly isFaulty: boolean;
}

/** The components by kind of question; a new kind makes the compiler point here. */
export const QUESTION_COMPONENTS: Readonly<Record<SurveyQuestion['type'], (props: QuestionProps) => VNode>> =
  {
    text: TextQuestion,
    multiple_choice: ChoiceQuestion,
    checkbox: ChoiceQuestion,
    matrix: MatrixQuestion,
    ranking: RankingQuestion,
  };

/** The id of the first control of a question: what an error leads to. */
export function firstControlId({ id }: SurveyQuestion): string {
  return `q${id}-0`;
}

/** Longer titles are words, which need a line of their own. */
const MAX_TILE_CHARACTERS = 3;

/** Whether the options are points of a scale that fit side by side: `0` to `10`, or faces. */
export function isScale({ type, metric_type, option_titles_by_id }: SurveyQuestion): boolean {
  if (type !== 'multiple_choice' || metric_type === null) return false;
  return Object.values(option_titles_by_id ?? {}).every((title) => isShort(title));
}

export function TextQuestion({ question, typed, describedBy, isFaulty }: QuestionProps): VNode {
  const name = questionField(question);
  return (
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
      {'\n' + (typed.get(name)?.join('\n') ?? '')}
    </textarea>
  );
}

export function ChoiceQuestion(props: QuestionProps): VNode {
  return isScale(props.question) ? <Scale {...props} /> : <Options {...props} />;
}

function Options({ question, typed }: QuestionProps): VNode {
  const name = questionField(question);
  const chosen = typed.get(name) ?? [];
  const type = question.type === 'checkbox' ? 'checkbox' : 'radio';
  return (
    <>
      {sortedTitles(question.option_titles_by_id).map(([id, title], index) => (
        <label class="option" key={id}>
          <input
            type={type}
            id={index === 0 ? firstControlId(question) : undefined}
            name={name}
            value={id}
            checked={chosen.some((value) => isSame(value, id))}
          />
          <span dir="auto">{title}</span>
        </label>
      ))}
    </>
  );
}

function Scale({ question, texts, typed }: QuestionProps): VNode {
  const name = questionField(question);
  const points = sortedTitles(question.option_titles_by_id);
  const isNps = question.metric_type === 'nps' && points.map(([, title]) => title).join() === NPS_TITLES;
  return (
    <>
      <Tiles name={name} firstId={firstControlId(question)} options={points} typed={typed} />
      {isNps && (
        <p class="ends">
          <span>0 – {texts.leastLikely}</span> <span>10 – {texts.mostLikely}</span>
        </p>
      )}
    </>
  );
}

const NPS_TITLES = '0,1,2,3,4,5,6,7,8,9,10';

export function MatrixQuestion({ question, typed }: QuestionProps): VNode {
  const columns = (question.column_titles ?? []).map((title) => [title, title] as const);
  return (
    <>
      {sortedTitles(question.row_titles_by_id).map(([id, title], index) => (
        <fieldset class="row" key={id}>
          <legend dir="auto">{title}</legend>
          <Tiles
            name={questionField(question, id)}
            firstId={index === 0 ? firstControlId(question) : undefined}
            options={columns}
            typed={typed}
          />
        </fieldset>
      ))}
    </>
  );
}

interface TilesProps {
  readonly name: string;
  readonly firstId: string | undefined;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly typed: FormFields;
}

/** Options side by side, one of which can be chosen. */
function Tiles({ name, firstId, options, typed }: TilesProps): VNode {
  const chosen = typed.get(name) ?? [];
  return (
    <div class={tilesClass(options.map(([, title]) => title))}>
      {options.map(([value, title], index) => (
        <label class="tile" key={value}>
          <input
            type="radio"
            id={index === 0 ? firstId : undefined}
            name={name}
            value={value}
            checked={chosen.some((given) => isSame(given, value))}
          />
          <span dir="auto">{title}</span>
        </label>
      ))}
    </div>
  );
}

export function RankingQuestion({ question, texts, typed, describedBy, isFaulty }: QuestionProps): VNode {
  const options = sortedTitles(question.option_titles_by_id);
  return (
    <>
      {options.map(([optionId, title], index) => {
        const name = questionField(question, optionId);
        const controlId = index === 0 ? firstControlId(question) : `q${question.id}-${index}`;
        const given = typed.get(name) ?? [];
        return (
          <div class="rank" key={optionId}>
            <label for={controlId} dir="auto">
              {title}
            </label>
            <select id={controlId} name={name} aria-describedby={describedBy} aria-invalid={isFaulty}>
              <option value="">{texts.noRank}</option>
              {options.map((_, rank) => (
                <option key={rank} selected={given.includes(String(rank + 1))}>
                  {rank + 1}
                </option>
              ))}
            </select>
          </div>
        );
      })}
    </>
  );
}

/** As many points fit into one line of a phone. */
const MAX_LINE_POINTS = 7;

/** Words are set in even lines on a phone: four in two lines of two, five below each other. */
function tilesClass(titles: readonly string[]): string {
  if (titles.every(isShort)) return titles.length <= MAX_LINE_POINTS ? 'tiles line' : 'tiles';
  const longest = Math.max(...titles.map((title) => title.length));
  if (titles.length % 3 === 0 && longest <= 12) return 'tiles words across-3';
  return titles.length % 2 === 0 && longest <= 24 ? 'tiles words across-2' : 'tiles words';
}

function sortedTitles(titles: TitlesById | null): [id: string, title: string][] {
  return Object.entries(titles ?? {}).sort(([left], [right]) => compareIds(left, right));
}

function isShort(title: string): boolean {
  // A family of faces is one of them, and up to eleven code units.
  return title.length <= 16 && [...graphemes.segment(title)].length <= MAX_TILE_CHARACTERS;
}

const graphemes = new Intl.Segmenter('vi', { granularity: 'grapheme' });

/** Line breaks in a value are changed on their way through a form. */
function isSame(sent: string, value: string): boolean {
  return unifyLineBreaks(sent) === unifyLineBreaks(value);
}
