/** The last record of each key: what a table holds after upserting them in turn. One statement can't touch a row twice. */
export function lastByKey<T>(records: readonly T[], keyOf: (record: T) => string | number): T[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()];
}
