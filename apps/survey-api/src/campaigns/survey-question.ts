import type { SurveyQuestionData } from '@cxp/platform-records';

/** Titles by the id of an option or row. Ids are text, as they are in `answers`. */
export type TitlesById = Readonly<Record<string, string>>;

/** A question of a campaign, as records bring it and as C1 shows it; what a record leaves out is `null`. */
export type SurveyQuestion = {
  readonly [Field in keyof SurveyQuestionData]-?: Readonly<Exclude<SurveyQuestionData[Field], undefined>>;
};

/** Looks an id up among the dictionary's own keys only: `constructor` is no option. */
export function titleOf(titles: TitlesById | null, id: string): string | undefined {
  return titles && Object.hasOwn(titles, id) ? titles[id] : undefined;
}

const INTEGER = /^-?\d+$/;

/** Orders ids numerically; ids that are no integers come last, by code point. */
export function compareIds(left: string, right: string): number {
  const leftIsNumber = INTEGER.test(left);
  const rightIsNumber = INTEGER.test(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
  if (leftIsNumber) {
    const [leftNumber, rightNumber] = [BigInt(left), BigInt(right)];
    if (leftNumber !== rightNumber) return leftNumber < rightNumber ? -1 : 1;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
