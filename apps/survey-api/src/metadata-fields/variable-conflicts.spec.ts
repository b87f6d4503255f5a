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
    ['one that is stored and one that is new, for a third', [field(2, 'store'), field(3, 'store')], [0, 1]],
  ])('judges %s', (_, records, refused) => {
    expect([...variableConflicts(records, stored)]).toEqual(refused);
  });

  it('refuses some record if and only if two fields would have one variable', () => {
    const records = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom('a', 'b', 'c', 'd', 'store', 'city')),
    );
    fc.assert(
      fc.property(records, (pairs) => {
        const fields = pairs.map(([id, variable]) => field(id, variable));
        const final = new Map([...stored, ...pairs]);
        const isSound = new Set(final.values()).size === final.size;
        expect(variableConflicts(fields, stored).size === 0).toBe(isSound);
      }),
    );
  });
});
