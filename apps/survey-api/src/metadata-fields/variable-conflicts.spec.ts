import fc from 'fast-check';
import { variableConflicts } from './metadata-field.repository';

const field = (id: number, variable: string) => ({ id, name: variable, variable });
const stored = new Map([
  [1, 'store'],
  [2, 'city'],
]);

describe('variableConflicts', () => {
  it.each([
    ['a new variable', [field(3, 'phone')], []],
    ['the same field again', [field(1, 'store'), field(1, 'store')], []],
    ['the variable of a stored field', [field(3, 'store')], [0]],
    ['one variable for two new fields: the later one', [field(3, 'phone'), field(4, 'phone')], [1]],
    ['fields that swap their variables', [field(1, 'city'), field(2, 'store')], []],
    ['a variable that its field gives up in the same batch', [field(3, 'store'), field(1, 'shop')], []],
    ['a variable that is claimed and given up again', [field(3, 'store'), field(3, 'phone')], []],
    ['a claim on what a refused record would have given up', [field(2, 'store'), field(3, 'city')], [0, 1]],
  ])('judges %s', (_, records, refused) => {
    expect([...variableConflicts(records, stored)]).toEqual(refused);
  });

  it('leaves every variable to one field, and what it keeps fits together', () => {
    const records = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom('a', 'b', 'c', 'd', 'store', 'city')),
    );
    fc.assert(
      fc.property(records, (pairs) => {
        const fields = pairs.map(([id, variable]) => field(id, variable));
        const refused = variableConflicts(fields, stored);
        const final = new Map(stored);
        for (const [index, { id, variable }] of fields.entries()) {
          if (!refused.has(index)) final.set(id, variable);
        }
        expect(new Set(final.values()).size).toBe(final.size);
        const kept = fields.filter((_, index) => !refused.has(index));
        expect(variableConflicts(kept, stored).size).toBe(0);
      }),
    );
  });

  it('reads each record a few times, however long the chain of records that bring each other back', () => {
    const count = 500;
    let reads = 0;
    // Each field would take the variable of the next one, and the last one keeps its own.
    const records = Array.from({ length: count - 1 }, (_, id) => ({
      id,
      name: '',
      get variable() {
        reads++;
        return `v${id + 1}`;
      },
    }));
    const all = new Map(Array.from({ length: count }, (_, id) => [id, `v${id}`]));
    expect(variableConflicts(records, all).size).toBe(count - 1);
    expect(reads).toBeLessThan(4 * count);
  });
});
