import { readOn } from './bounded-read';

/** Reads numbers, at most `atOnce` of them at a time. */
async function read(first: number[], count: number, last: number, atOnce: number) {
  const [pieces, limits]: [(readonly number[])[], number[]] = [[], []];
  const reads = readOn(first, count, (after, limit) => {
    limits.push(limit);
    const found = Array.from(
      { length: Math.min(limit, atOnce, last - after) },
      (_, place) => after + 1 + place,
    );
    return Promise.resolve(found);
  });
  for await (const rows of reads) pieces.push(rows);
  return { pieces, limits };
}

describe('readOn', () => {
  it.each<[what: string, first: number[], count: number, last: number, pieces: number[][]]>([
    ['a page that was read at once', [1, 2], 2, 9, [[1, 2]]],
    ['an empty page', [], 0, 9, []],
    ['a page that is read in three', [1, 2], 5, 9, [[1, 2], [3, 4], [5]]],
    ['a page of which rows went away meanwhile', [1, 2], 5, 3, [[1, 2], [3]]],
  ])('has the rows of %s', async (_, first, count, last, pieces) => {
    expect((await read(first, count, last, 2)).pieces).toEqual(pieces);
  });

  it('asks for no more rows than about fit, however many are wanted', async () => {
    const { limits } = await read([1], 1_000, 1_000, 3);
    expect(Math.max(...limits)).toBe(6);
  });
});
