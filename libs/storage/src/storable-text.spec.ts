import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { createTestDatabase } from '@cxp/testing';
import { unstorableTextPaths } from './storable-text';

describe('unstorableTextPaths', () => {
  it.each<[unknown, (string | number)[][]]>([
    ['sound', []],
    ['a\0b', [[]]],
    ['\ud83d', [[]]],
    ['\ude00', [[]]],
    ['\ude00\ud83d', [[]]],
    ['😀', []],
    ['\u0001\ufffd\uffff', []],
    [5, []],
    [null, []],
    [undefined, []],
    [{ a: 'x', b: ['\0', { c: '\ud800' }], d: '\0' }, [['b', 0], ['b', 1, 'c'], ['d']]],
    [{ 'a\0': '\0' }, [['a\0']]],
    [[['\0']], [[0, 0]]],
  ])('of %j: %j', (value, paths) => {
    expect(unstorableTextPaths(value)).toEqual(paths);
  });

  it('looks for as many as it is asked for', () => {
    const value = { list: Array<string>(1_000).fill('\0'), more: '\0' };
    expect(unstorableTextPaths(value)).toHaveLength(100);
    expect(unstorableTextPaths(value, 2)).toEqual([
      ['list', 0],
      ['list', 1],
    ]);
    const neverLookedAt = Object.defineProperty({ a: '\0' }, 'b', {
      enumerable: true,
      get: () => {
        throw new Error('enough was found');
      },
    });
    expect(unstorableTextPaths(neverLookedAt, 1)).toEqual([['a']]);
  });

  it('names exactly what PostgreSQL refuses', async () => {
    const database = await createTestDatabase();
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const characters = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    });
    await fc.assert(
      fc.asyncProperty(characters, async (text) => {
        const stored = await dataSource.query('SELECT $1::text AS text', [text]).then(
          ([row]: { text: string }[]) => row!.text === text,
          () => false,
        );
        expect(unstorableTextPaths(text).length === 0).toBe(stored);
      }),
      { examples: [['\0'], ['\ud83d'], ['\ud83d\ude00']] },
    );
    await dataSource.destroy();
    await database.drop();
  });
});
