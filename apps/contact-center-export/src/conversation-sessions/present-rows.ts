import { type BusinessCalendar, isCounted } from '../business-hours';
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
): Promise<PresentedRow[]> {
  const ends = rows.map(({ document, anchorMicroseconds }) =>
    ANCHOR_FIELDS.map((field, place) => instantOf(document[field], anchorMicroseconds?.[place])),
  );
  let [first, last] = [Infinity, -Infinity];
  for (const end of ends.flat()) {
    if (end === null || !isCounted(end, end)) continue;
    first = Math.min(first, end);
    last = Math.max(last, end);
  }
  if (first <= last) await calendar?.prepare(first, last);
  /** Business hours are null wherever the calendar span is. */
  const seconds = (from: Instant | null, to: Instant | null) =>
    !calendar || from === null || to === null || to < from ? null : calendar.secondsBetween(from, to);
  return rows.map(({ document }, place) => {
    const [handoff = null, assigned = null, message = null, resolved = null] = ends[place]!;
    // A copy of each row would take longer than the rest.
    return Object.assign(document, {
      waitTimeBusinessHoursSeconds: seconds(handoff, message),
      firstResponseTimeBusinessHoursSeconds: seconds(assigned, message),
      resolutionTimeBusinessHoursSeconds: seconds(handoff, resolved),
    });
  });
}

function instantOf(time: string | null, microseconds = 0): Instant | null {
  return time === null ? null : Date.parse(time) + microseconds / 1_000;
}
