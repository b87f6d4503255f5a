type Key = string | number;

/**
 * What remains of records that are upserted one after the other, each at the place of its key's first arrival. One
 * statement can't touch a row twice, so this is settled before.
 */
export function lastByKey<T>(records: readonly T[], keyOf: (record: T) => Key): T[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()];
}
