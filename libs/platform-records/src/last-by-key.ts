type Key = string | number;

/**
 * What remains of records that are upserted one after the other, each at the place of its key's first arrival. One
 * statement can't touch a row twice, so this is settled before.
 */
export function lastByKey<T>(records: readonly T[], keyOf: (record: T) => Key): T[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()];
}

/** The same for records of which an older one is ignored and an equally old one replaces. */
export function newestByKey<T>(
  records: readonly T[],
  keyOf: (record: T) => Key,
  timeOf: (record: T) => number,
): T[] {
  const newest = new Map<Key, T>();
  for (const record of records) {
    const previous = newest.get(keyOf(record));
    if (previous === undefined || timeOf(previous) <= timeOf(record)) newest.set(keyOf(record), record);
  }
  return [...newest.values()];
}
