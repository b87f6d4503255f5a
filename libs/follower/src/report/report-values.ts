import type { ResultRows } from '../database';
import type { ExplainedRow } from './explanation';
import type { conversationQueries, ReportPeriod, surveyQueries } from './report-queries';

type Answers<Queries extends (...values: never[]) => object> = Readonly<
  Record<keyof ReturnType<Queries>, ResultRows>
>;
export type ConversationAnswers = Answers<typeof conversationQueries>;
export type SurveyAnswers = Answers<typeof surveyQueries>;
export type Row = ResultRows[number];

export interface Report {
  readonly organization: string;
  readonly schema: string;
  readonly period: ReportPeriod;
  readonly checkedAt: number | null;
  readonly change: number;
  readonly hasSchedule: boolean;
  /** Without a copy of the area it is not shown. */
  readonly conversations?: ConversationAnswers;
  readonly surveys?: SurveyAnswers;
  /** Of the longest waits, in their order; what is not known has the command that tells it. */
  readonly explained: readonly (ExplainedRow | undefined)[];
}

/** How times are counted, in the same words everywhere. */
export const NIGHTS_INCLUDED = 'nights and holidays included';
export const IN_HOURS = 'in business hours';

/** All figures of the period and of the one before. */
export type Figures = readonly [now: Row, before: Row];
export function figuresOf({ tiles, targets }: ConversationAnswers): Figures {
  const ofOne = (isNow: boolean) => ({
    ...tiles.find((row) => row.is_now === isNow),
    ...targets.find((row) => row.is_now === isNow && row.day === null),
  });
  return [ofOne(true), ofOne(false)];
}

export const numberOf = (value: Row[string] | undefined) =>
  value === null || value === undefined ? null : Number(value);
export const counted = (value: number) => value.toLocaleString('en');
export const percent = (share: number) => `${Math.round(share * 100)}\u00a0%`;
/** Of a figure that may be missing. */
export const textOf = (value: Row[string] | undefined, shown: (value: number) => string) =>
  numberOf(value) === null ? '—' : shown(Number(value));
export const ofFive = (mean: number) => `${mean.toFixed(1)} of 5`;
export const dateText = (time: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(time);
export const longDate = (date: string) =>
  dateText(Date.parse(date), { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

export const DATE_LABELS: Readonly<Record<ReportPeriod['unit'], Intl.DateTimeFormatOptions>> = {
  day: { weekday: 'short', day: 'numeric' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: '2-digit' },
};
