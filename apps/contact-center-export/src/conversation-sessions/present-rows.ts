import { type BusinessCalendar, spanOf } from '../business-hours';
import { type BUSINESS_HOURS_FIELDS, type ConversationSessionRow, SPANS } from '../derivation';
import type { Instant } from '../instant';
import { ANCHOR_FIELDS, type AnchorField, type StoredRow } from './stored-row';

export type PresentedRow = ConversationSessionRow & {
  readonly [Name in (typeof BUSINESS_HOURS_FIELDS)[number]]: number | null;
};

const METRICS = Object.entries(SPANS).map(([span, { from, to }]) => ({
  field: `${span}BusinessHoursSeconds`,
  from,
  to,
}));

type TimedRow = Pick<StoredRow, 'document' | 'anchorMicroseconds'>;

/**
 * Adds business hours to rows.
 * @param calendar undefined without a schedule
 */
export async function presentRows(
  rows: readonly TimedRow[],
  calendar: BusinessCalendar | undefined,
  stop?: AbortSignal,
): Promise<PresentedRow[]> {
  /** Business hours are null wherever the calendar span is. */
  const spans = rows.flatMap((row) =>
    METRICS.map(({ from, to }) => spanOf(instantOf(row, from), instantOf(row, to))),
  );
  const seconds = await calendar?.secondsOf(spans, stop);
  return rows.map(({ document }, row) => {
    // A copy of each row would take longer than the rest.
    const presented: Record<string, unknown> & ConversationSessionRow = document;
    METRICS.forEach(({ field }, place) => {
      presented[field] = seconds?.[row * METRICS.length + place] ?? null;
    });
    return presented as PresentedRow;
  });
}

function instantOf({ document, anchorMicroseconds }: TimedRow, field: AnchorField): Instant | null {
  const time = document[field];
  return time === null
    ? null
    : Date.parse(time) + (anchorMicroseconds?.[ANCHOR_FIELDS.indexOf(field)] ?? 0) / 1_000;
}
