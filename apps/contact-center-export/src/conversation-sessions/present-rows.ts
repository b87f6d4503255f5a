import { type BusinessCalendar, spanOf } from '../business-hours';
import { type BUSINESS_HOURS_FIELDS, type ConversationSessionRow } from '../derivation';
import type { Instant } from '../instant';
import { ANCHOR_FIELDS, type StoredRow } from './stored-row';

export type PresentedRow = ConversationSessionRow & {
  readonly [Name in (typeof BUSINESS_HOURS_FIELDS)[number]]: number | null;
};

/**
 * Adds business hours to rows.
 * @param calendar undefined without a schedule
 */
export async function presentRows(
  rows: readonly Pick<StoredRow, 'document' | 'anchorMicroseconds'>[],
  calendar: BusinessCalendar | undefined,
  stop?: AbortSignal,
): Promise<PresentedRow[]> {
  const ends = rows.map(({ document, anchorMicroseconds }) =>
    ANCHOR_FIELDS.map((field, place) => instantOf(document[field], anchorMicroseconds?.[place])),
  );
  /** Business hours are null wherever the calendar span is. */
  const spans = ends.flatMap(([handoff = null, assigned = null, message = null, resolved = null]) => [
    spanOf(handoff, message),
    spanOf(assigned, message),
    spanOf(handoff, resolved),
  ]);
  const seconds = await calendar?.secondsOf(spans, stop);
  const secondsAt = (place: number) => seconds?.[place] ?? null;
  return rows.map(({ document }, place) =>
    // A copy of each row would take longer than the rest.
    Object.assign(document, {
      waitTimeBusinessHoursSeconds: secondsAt(3 * place),
      firstResponseTimeBusinessHoursSeconds: secondsAt(3 * place + 1),
      resolutionTimeBusinessHoursSeconds: secondsAt(3 * place + 2),
    }),
  );
}

function instantOf(time: string | null, microseconds = 0): Instant | null {
  return time === null ? null : Date.parse(time) + microseconds / 1_000;
}
