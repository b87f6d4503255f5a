/** SQL for the status of a conversation. */
export const STATUS = `CASE WHEN conversation.closed_at IS NULL THEN 'open' ELSE 'closed' END`;

/** SQL for the time in whole milliseconds, as records carry it. */
export const CLOCK = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * SQL for the new `updated_at` of a conversation that changes: always later than before, so that the later of two states has the later time.
 * The clock is read outside of the UPDATE, and a millisecond is added in UTC: over a column Citus takes nothing that depends on a clock or on
 * a time zone.
 * @param clock what `CLOCK` was
 */
export function nextChange(clock: string): string {
  return `greatest(${clock}, (conversation.updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')`;
}
