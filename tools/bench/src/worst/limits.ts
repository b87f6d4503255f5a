/** What the largest input may hold, by `decisions.md` ("Limits of what comes in"). */
export const LIMITS = {
  /** Members and elements of a JSON body or a record, with some room for those that it needs. */
  values: 19_900,
  linkValues: 99_000,
  recordBytes: 1_024 * 1_024 - 2_000,
  ticketBytes: 256 * 1_024 - 2_000,
  conversationRecords: 9_980,
  conversationBytes: 16 * 1_024 * 1_024 - 64 * 1_024,
  weeklyIntervals: 200,
  exceptions: 2_000,
  questions: 500,
  options: 500,
  cells: 5_000,
} as const;

/** Bytes of a URL with its query, with room for the headers that share the limit. */
export const QUERY_BYTES = 14 * 1_024;
