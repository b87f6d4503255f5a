import type { VNode } from 'preact';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { MetricType } from '@cxp/records';
import type { Cell } from '@cxp/spreadsheet';
import {
  type Answers,
  isJsonObject,
  sortedTitles,
  type SurveyQuestion,
  type TitlesById,
} from '../campaigns/survey-question';

/** The cost of each function is proportional to the question or to its answer. */
export interface QuestionKind {
  /** Whether one control holds the whole answer and the title labels it; otherwise the controls are a group. */
  readonly hasOneControl: boolean;
  /** Whether a choice needs a button that clears it. */
  readonly canBeCleared: boolean;
  readonly hint: (question: SurveyQuestion, texts: HintTexts) => string;
  readonly controls: (props: ControlsProps) => Iterable<VNode>;
  /** Reads the answer from the question's own field. Default: its single value. */
  readonly readField?: (values: readonly string[]) => unknown;
  /** Reads the answer from the field of a row or option. Default: its single value. */
  readonly readPart?: (values: readonly string[]) => unknown;
  /** Whether the controls can show a typed value of the question, or of its row or option. */
  readonly shows: (question: SurveyQuestion) => (value: string, part: string | undefined) => boolean;
  readonly checkSubmitted: (question: SurveyQuestion, answer: unknown) => Checked<unknown>;
  /**
   * Checks the structure of a recorded answer. Unknown options, rows and columns are accepted: the question may have had them.
   */
  readonly checkRecorded: (answer: unknown) => readonly InvalidItem[];
  readonly columns: (question: SurveyQuestion) => AnswerColumn[];
}

export interface HintTexts {
  readonly chooseOne: string;
  readonly choosePoint: string;
  readonly chooseSeveral: string;
  readonly chooseInEachRow: string;
  readonly rank: (options: number) => string;
  readonly writeFreely: string;
  /** The labels of the first and last point of a scale. */
  readonly scaleEnds: Readonly<Record<MetricType, readonly [string, string]>>;
}

export interface ControlsProps {
  readonly question: SurveyQuestion;
  readonly texts: HintTexts;
  readonly typed: FormFields;
  /** `aria-describedby` of the controls: the question's hint and error. */
  readonly describedBy: string;
  readonly isFaulty: boolean;
}

export interface AnswerColumn {
  readonly name: string;
  readonly value: (answers: Answers) => Cell;
}

/** Unicode code points. */
export const MAX_ANSWER_CHARACTERS = 5_000;

/** The texts of the pages have a sentence for each. */
export type AnswerProblemType =
  | 'unknown_question'
  | 'unknown_option'
  | 'unknown_row'
  | 'unknown_column'
  | 'duplicate_option'
  | 'rank_out_of_range'
  | 'rank_tied'
  | 'string_too_long'
  | 'string_unicode'
  | 'string_type'
  | 'list_type'
  | 'dict_type';

export interface LocalProblem {
  /** The row or option within the question, if any. */
  readonly path: readonly (string | number)[];
  readonly type: AnswerProblemType;
}

/** Neither property is set for an unanswered question. */
export type Checked<Answer> = { readonly answer?: Answer } | { readonly problems: readonly LocalProblem[] };

export function refuse(type: AnswerProblemType): { problems: readonly LocalProblem[] } {
  return { problems: [{ path: [], type }] };
}

/** Drops empty entries as unanswered. */
export function checkEntries<Answer>(
  submitted: unknown,
  check: (sent: string, value: unknown) => AnswerProblemType | { key: string; answer: Answer },
): Checked<Readonly<Record<string, Answer>>> {
  if (!isJsonObject(submitted)) return refuse('dict_type');
  const answers: [string, Answer][] = [];
  const problems: LocalProblem[] = [];
  for (const [key, value] of Object.entries(submitted)) {
    if (value === null || value === '') continue;
    const checked = check(key, value);
    if (typeof checked === 'string') problems.push({ path: [key], type: checked });
    else answers.push([checked.key, checked.answer]);
  }
  if (problems.length > 0) return { problems };
  return answers.length === 0 ? {} : { answer: Object.fromEntries(answers) };
}

export function textProblems(answer: unknown): InvalidItem[] {
  return typeof answer === 'string' ? [] : [problem([], 'Input should be a valid string', 'string_type')];
}

/** For recorded answers with an entry per row or option. */
export function entryProblems(
  answer: unknown,
  check: (value: unknown) => readonly InvalidItem[],
): InvalidItem[] {
  if (!isJsonObject(answer)) return [problem([], 'Input should be a valid dictionary', 'dict_type')];
  return Object.entries(answer).flatMap(([key, value]) =>
    check(value).map((item) => ({ ...item, loc: [key] })),
  );
}

export function problem(loc: (string | number)[], msg: string, type: string): InvalidItem {
  return { loc, msg, type };
}

export function wholeAnswer(question: SurveyQuestion, cell: (answer: unknown) => Cell): AnswerColumn {
  const key = String(question.id);
  return {
    name: `Question ${question.id}: ${question.title}`,
    value: (answers) => cell(ownValue(answers, key)),
  };
}

export function answerByKey(
  question: SurveyQuestion,
  titles: TitlesById | null,
  cell: (answer: unknown) => Cell,
): AnswerColumn[] {
  const key = String(question.id);
  return sortedTitles(titles).map(([id, title]) => ({
    name: `Question ${question.id} - ${id}: ${question.title} - ${title}`,
    value: (answers) => cell(ownValue(ownValue(answers, key), id)),
  }));
}

function ownValue(container: unknown, key: string): unknown {
  return isJsonObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

export function firstControlId({ id }: SurveyQuestion): string {
  return `q${id}-0`;
}

const LIST_SEPARATOR = '|';

/** Any JSON value as one cell: lists are joined, objects are JSON. */
export function valueCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return Array.isArray(value) ? listCell(value) : JSON.stringify(value);
}

export function listCell(items: readonly unknown[]): Cell {
  if (items.length === 0) return null;
  return items.map((item) => valueCell(item) ?? '').join(LIST_SEPARATOR);
}

/** Values of a form by field name, in the sent order, with unified line breaks. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

export function typedIn(typed: FormFields, question: SurveyQuestion, part?: string): readonly string[] {
  return typed.get(unifyLineBreaks(questionField(question, part))) ?? [];
}

/** `q12` is the field of question 12, `q12.31` that of its row or option 31. */
export function questionField({ id }: Pick<SurveyQuestion, 'id'>, part?: string): string {
  return part === undefined ? `q${id}` : `q${id}.${part}`;
}

/** Several values become a non-text, which is refused. */
export function single(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values;
}

/** Browsers send line breaks as CRLF, programs as LF. */
export function unifyLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

export function lookup(known: readonly string[]): (sent: string) => string | undefined {
  const byText = new Map(known.map((one) => [unifyLineBreaks(one), one]));
  return (sent) => byText.get(unifyLineBreaks(sent));
}

export function idLookup(titles: TitlesById | null): (sent: string) => string | undefined {
  return lookup(Object.keys(titles ?? {}));
}
