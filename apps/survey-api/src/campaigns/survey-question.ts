/** The kinds of question. The contract's list forgets `ranking`, which its export describes. */
export const QUESTION_TYPES = ['matrix', 'checkbox', 'multiple_choice', 'text', 'ranking'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

export const METRIC_TYPES = ['nps', 'ces', 'csat'] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

/** Titles by the id of an option or row. Ids are text, as they are in `answers`. */
export type TitlesById = Readonly<Record<string, string>>;

/** A question of a campaign, as records bring it and as C1 shows it. */
export interface SurveyQuestion {
  readonly id: number;
  readonly type: QuestionType;
  readonly metric_type: MetricType | null;
  readonly title: string;
  /** Of checkbox, multiple_choice and ranking questions. */
  readonly option_titles_by_id: TitlesById | null;
  /** Of matrix questions. */
  readonly row_titles_by_id: TitlesById | null;
  /** Of matrix questions. */
  readonly column_titles: readonly string[] | null;
}

/** Looks an id up among the dictionary's own keys only: `constructor` is no option. */
export function titleOf(titles: TitlesById | null, id: string): string | undefined {
  return titles && Object.hasOwn(titles, id) ? titles[id] : undefined;
}
