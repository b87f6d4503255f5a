import fc from 'fast-check';
import type { MetadataAssociation, MetadataValue } from './link.dto';
import { mappingKey } from './link.repository';

const entry = (metadata_id: number, value: MetadataValue): MetadataAssociation => ({ metadata_id, value });

describe('mappingKey', () => {
  it.each<[string, MetadataAssociation[], MetadataAssociation[]]>([
    ['the order of entries', [entry(1, 'a'), entry(2, 'b')], [entry(2, 'b'), entry(1, 'a')]],
    ['1 and 1.0', [entry(1, 1)], [entry(1, JSON.parse('1.0'))]],
    ['0 and -0', [entry(1, 0)], [entry(1, -0)]],
    ['1e3 and 1000', [entry(1, JSON.parse('1e3'))], [entry(1, 1000)]],
    [
      'the order of members',
      [entry(1, [{ a: 1, b: { c: 2, d: 3 } }])],
      [entry(1, [{ b: { d: 3, c: 2 }, a: 1 }])],
    ],
    ['more than ten ids', [entry(10, 'a'), entry(9, 'b')], [entry(9, 'b'), entry(10, 'a')]],
  ])('is the same for %s', async (_, left, right) => {
    expect(await mappingKey(left)).toEqual(await mappingKey(right));
  });

  it.each<[string, MetadataAssociation[], MetadataAssociation[]]>([
    ['1 and "1"', [entry(1, 1)], [entry(1, '1')]],
    ['null and no entry', [entry(1, null)], []],
    ['null and "null"', [entry(1, null)], [entry(1, 'null')]],
    ['null and [null]', [entry(1, null)], [entry(1, [null])]],
    ['null and []', [entry(1, null)], [entry(1, [])]],
    ['a value and a list of it', [entry(1, 'a')], [entry(1, ['a'])]],
    ['the order of items in a value', [entry(1, ['a', 'b'])], [entry(1, ['b', 'a'])]],
    ['values swapped between fields', [entry(1, 'a'), entry(2, 'b')], [entry(1, 'b'), entry(2, 'a')]],
    ['text that looks like structure', [entry(1, 'a"],[2,"b')], [entry(1, 'a'), entry(2, 'b')]],
    ['an object and a list', [entry(1, [{ 0: 'a' }])], [entry(1, [['a']])]],
    ['names of members', [entry(1, [{ a: 1 }])], [entry(1, [{ b: 1 }])]],
    ['a member `__proto__`', [entry(1, [JSON.parse('{"__proto__":{"a":1}}')])], [entry(1, [{}])]],
    ['case and spaces', [entry(1, 'a')], [entry(1, 'A ')]],
  ])('is different for %s', async (_, left, right) => {
    expect(await mappingKey(left)).not.toEqual(await mappingKey(right));
  });

  it('distinguishes any two mappings, in whatever order their entries come', async () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
    const mapping = fc.uniqueArray(fc.record({ metadata_id: fc.integer({ min: 0, max: 4 }), value }), {
      selector: ({ metadata_id }) => metadata_id,
      maxLength: 4,
    });
    const normal = (entries: MetadataAssociation[]) =>
      JSON.stringify(
        [...entries]
          .sort((left, right) => left.metadata_id - right.metadata_id)
          .map((e) => Object.entries(e).sort()),
      );
    await fc.assert(
      fc.asyncProperty(mapping, mapping, fc.func(fc.nat()), async (left, right, weight) => {
        const shuffled = [...left].sort((a, b) => weight(a) - weight(b));
        const key = await mappingKey(left);
        expect(await mappingKey(shuffled)).toEqual(key);
        expect(key.equals(await mappingKey(right))).toBe(normal(left) === normal(right));
      }),
    );
  });
});
