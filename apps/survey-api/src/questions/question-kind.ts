import type { VNode } from 'preact';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { MetricType } from '@cxp/records';
import type { Cell } from '@cxp/spreadsheet';
import {
  type Answers,
  sortedTitles,
  type SurveyQuestion,
  type TitlesById,
} from '../campaigns/survey-question';
import { isJsonObject } from '../json';

/** The cost of each function is proportional to the question or to its answer. */
export interface QuestionKind {
  /** Whether one control holds the whole answer and the title labels it; otherwise the controls are a group. */
  readonly hasOneControl: boolean;
  /** Whether a choice needs a button that clears it. */
  readonly canBeCleared: boolean;
  readonly hint: (question: SurveyQuestion, texts: HintTexts) => string;
  readonly controls: (props: ControlsProps) => Iterable<VNode>;
  readonly choices: (question: SurveyQuestion) => Choices;
  /** Checks what was typed into the fields that `choices` describes. */
  readonly checkTyped: (question: SurveyQuestion, typed: TypedAnswer) => Checked;
  /**
   * Checks the structure only: campaigns are edited and their history is sent again.
   * @returns items whose `loc` starts at the answer
   */
  readonly checkRecorded: (answer: unknown) => readonly InvalidItem[];
  readonly columns: (question: SurveyQuestion) => AnswerColumn[];
}

export interface HintTexts {
  readonly language: string;
  readonly chooseOne: string;
  readonly choosePoint: string;
  readonly chooseSeveral: string;
  readonly chooseInEachRow: string;
  readonly rank: (options: number) => string;
  readonly writeFreely: string;
  /** The labels of the first and last point of a scale. */
  readonly scaleEnds: Readonly<Record<MetricType, readonly [string, string]>>;
}

/** The non-empty values of a question's own field, and of the fields of its rows or options. */
export interface TypedAnswer {
  readonly own: readonly string[];
  readonly parts: ReadonlyMap<string, readonly string[]>;
}

export interface ControlsProps {
  readonly question: SurveyQuestion;
  readonly texts: HintTexts;
  readonly typed: TypedAnswer;
  /** `aria-describedby` of the controls: the question's hint and error. */
  readonly describedBy: string;
  readonly isFaulty: boolean;
}

/** Finds an id or title of the campaign by the text that a form sends. */
export type Lookup = (sent: string) => string | undefined;

/** What the fields of a question can hold. */
export interface Choices {
  /** The rows or options that have a field each; default: the question has one field. */
  readonly parts?: Lookup;
  /** What can be chosen in a field; default: any text. */
  readonly values?: Lookup;
}

export interface AnswerColumn {
  readonly name: string;
  readonly value: (answers: Answers) => Cell;
}

/** Unicode code points. */
export const MAX_ANSWER_CHARACTERS = 5_000;

/** The texts of the pages have a sentence for each. */
export type AnswerProblem =
  | 'unknown_question'
  | 'changed_question'
  | 'unknown_choice'
  | 'rank_out_of_range'
  | 'rank_tied'
  | 'string_too_long'
  | 'string_unicode';

/** The answer of an unanswered question is undefined. */
export type Checked = { readonly answer: unknown } | { readonly problem: AnswerProblem };

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

export function answerByKey(question: SurveyQuestion, titles: TitlesById | null): AnswerColumn[] {
  const key = String(question.id);
  return sortedTitles(titles).map(([id, title]) => ({
    name: `Question ${question.id} - ${id}: ${question.title} - ${title}`,
    value: (answers) => valueCell(ownValue(ownValue(answers, key), id)),
  }));
}

function ownValue(container: unknown, key: string): unknown {
  return isJsonObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
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

export function firstControlId({ id }: SurveyQuestion): string {
  return `q${id}-0`;
}

/** `q12` is the field of question 12, `q12.31` that of its row or option 31. */
export function questionField({ id }: Pick<SurveyQuestion, 'id'>, part?: string): string {
  return part === undefined ? `q${id}` : `q${id}.${part}`;
}

export function typedIn({ parts }: TypedAnswer, part: string): readonly string[] {
  return parts.get(unifyLineBreaks(part)) ?? [];
}

/** Browsers send line breaks as CRLF, programs as LF. */
export function unifyLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** @param valueOf what a form sends for a known text */
export function lookup(known: readonly string[], valueOf = (text: string) => text): Lookup {
  const byText = new Map(known.map((one) => [unifyLineBreaks(valueOf(one)), one]));
  return (sent) => byText.get(unifyLineBreaks(sent));
}

export function idLookup(titles: TitlesById | null): Lookup {
  return lookup(Object.keys(titles ?? {}));
}
