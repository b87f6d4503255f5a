/**
 * SQL for the new `updated_at` of a conversation that changes: whole milliseconds, as records carry them, and always
 * later than before, so that of two states of a conversation the later one is told by it.
 */
export const NEXT_CHANGE = `greatest(
  date_trunc('milliseconds', clock_timestamp()),
  conversation.updated_at + interval '1 millisecond'
)`;
