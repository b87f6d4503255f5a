import type { SurveyQuestionData } from '@cxp/records';

/** Ids are text, as in `answers`. */
export type TitlesById = Readonly<Record<string, string>>;

/** A question as records and C1 have it; `null` replaces omitted fields. */
export type SurveyQuestion = {
  readonly [Field in keyof SurveyQuestionData]-?: Readonly<Exclude<SurveyQuestionData[Field], undefined>>;
};

/** Ignores inherited keys: `constructor` is no option. */
export function titleOf(titles: TitlesById | null, id: string): string | undefined {
  return titles && Object.hasOwn(titles, id) ? titles[id] : undefined;
}

export type QuestionsById = ReadonlyMap<string, SurveyQuestion>;

export function questionsById(questions: readonly SurveyQuestion[]): QuestionsById {
  return new Map(questions.map((question) => [String(question.id), question]));
}

const INTEGER = /^-?\d+$/;

/** Sorted by numeric id; ids that are no integers come last, by code point. */
export function sortedTitles(titles: TitlesById | null): [id: string, title: string][] {
  // A number of 255 digits takes longer to read than to compare.
  const numbered = Object.entries(titles ?? {}).map((entry) => ({
    entry,
    number: INTEGER.test(entry[0]) ? BigInt(entry[0]) : undefined,
  }));
  return numbered
    .sort((left, right) => order(left.number, right.number) || order(left.entry[0], right.entry[0]))
    .map(({ entry }) => entry);
}

function order<Value extends bigint | string>(left: Value | undefined, right: Value | undefined): number {
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left < right ? -1 : 1;
}

/**
 * By question id: text → string; multiple_choice → option id; checkbox → option ids; matrix → row id → column title; ranking →
 * option id → rank from 1. An option without an id ("other: …") is its text. Answers that arrived before their campaign are
 * unchecked.
 */
export type Answers = Readonly<Record<string, unknown>>;
