import fc from 'fast-check';
import { lastByKey } from './last-by-key';

const records = fc.array(fc.record({ id: fc.nat(4), place: fc.nat() }), { maxLength: 12 });

it('leaves what a table holds after upserting the records one by one', () => {
  fc.assert(
    fc.property(records, (all) => {
      const table: typeof all = [];
      for (const record of all) {
        const at = table.findIndex(({ id }) => id === record.id);
        if (at === -1) table.push(record);
        else table[at] = record;
      }
      expect(lastByKey(all, ({ id }) => id)).toEqual(table);
    }),
  );
});
