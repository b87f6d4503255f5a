import fc from 'fast-check';
import { lastByKey, newestByKey } from './last-by-key';

const records = fc.array(fc.record({ id: fc.nat(4), at: fc.nat(4), place: fc.nat() }), { maxLength: 12 });
const idOf = ({ id }: { id: number }) => id;

/** A table after the records were upserted one by one. */
function upserted<T extends { id: number }>(
  all: readonly T[],
  replaces: (stored: T, record: T) => boolean,
): T[] {
  const table: T[] = [];
  for (const record of all) {
    const at = table.findIndex(({ id }) => id === record.id);
    if (at === -1) table.push(record);
    else if (replaces(table[at]!, record)) table[at] = record;
  }
  return table;
}

it('lastByKey leaves what a table holds after upserting the records one by one', () => {
  fc.assert(fc.property(records, (all) => expect(lastByKey(all, idOf)).toEqual(upserted(all, () => true))));
});

it('newestByKey leaves the same when older records are ignored', () => {
  fc.assert(
    fc.property(records, (all) =>
      expect(newestByKey(all, idOf, ({ at }) => at)).toEqual(
        upserted(all, (stored, record) => stored.at <= record.at),
      ),
    ),
  );
});
