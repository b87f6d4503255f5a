/**
 * What remains of records that are upserted in turn, each at the place of its key's first arrival. One statement can't
 * touch a row twice, so this is settled before.
 */
export function lastByKey<T extends { readonly id: string | number }>(records: readonly T[]): T[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

/** The same for records that are ignored when their `updatedAt` is older than the one before; an equal one replaces. */
export function newestByKey<T extends { readonly id: string | number; readonly updated_at: number }>(
  records: readonly T[],
): T[] {
  const newest = new Map<string | number, T>();
  for (const record of records) {
    if ((newest.get(record.id)?.updated_at ?? -Infinity) <= record.updated_at) newest.set(record.id, record);
  }
  return [...newest.values()];
}
