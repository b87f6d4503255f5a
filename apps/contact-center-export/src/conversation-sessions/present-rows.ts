import { type BusinessCalendar, spanOf } from '../business-hours';
import {
  type BusinessHours,
  type ConversationSessionRow,
  type MeasuredSpan,
  SPAN_NAMES,
  SPANS,
} from '../derivation';
import type { Instant } from '../instant';
import { ANCHOR_FIELDS, type StoredRow } from './stored-row';

export type PresentedRow = ConversationSessionRow & BusinessHours;

/**
 * Adds business hours to rows.
 * @param calendar undefined without a schedule
 */
export async function presentRows(
  rows: readonly Pick<StoredRow, 'document' | 'anchorMicroseconds'>[],
  calendar: BusinessCalendar | undefined,
  stop?: AbortSignal,
): Promise<PresentedRow[]> {
  const anchors = rows.map(({ document, anchorMicroseconds }) => (name: MeasuredSpan['from' | 'to']) => {
    const microseconds = anchorMicroseconds?.[ANCHOR_FIELDS.indexOf(name)] ?? 0;
    return document[name] === null ? null : Date.parse(document[name]) + microseconds / 1_000;
  });
  const figures = await businessHoursOf(anchors, calendar, stop);
  // A copy of each row would take longer than the rest.
  return rows.map(({ document }, place) => Object.assign(document, figures[place]));
}

/** @param rows of each the times of its anchors */
export async function businessHoursOf(
  rows: readonly ((anchor: MeasuredSpan['from' | 'to']) => Instant | null)[],
  calendar: BusinessCalendar | undefined,
  stop?: AbortSignal,
): Promise<BusinessHours[]> {
  const spans = rows.flatMap((at) => Object.values(SPANS).map(({ from, to }) => spanOf(at(from), at(to))));
  const seconds = await calendar?.secondsOf(spans, stop);
  return rows.map((_, row) => {
    const figures = SPAN_NAMES.map((name, place) => [
      `${name}BusinessHoursSeconds`,
      seconds?.[SPAN_NAMES.length * row + place] ?? null,
    ]);
    return Object.fromEntries(figures) as BusinessHours;
  });
}
