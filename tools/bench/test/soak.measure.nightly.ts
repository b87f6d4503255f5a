import { SERVICES } from '@cxp/services/service-under-test';
import { soak, type SoakResult } from '../src/soak/soak';
import { MOST_KEYS } from '../src/soak/soak-traffic';

/** `SOAK_SECONDS=3600` is the hour before a release. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 120);

/** A call that failed so often did not do what it is there for. On a busy machine some are answered 503. */
const MAX_FAILED = 0.05;

/** How much may be held at the end, beside what was held after the first quarter of the time, in which caches are filled. */
const MAX_GROWTH: readonly (readonly [figure: string, most: (before: number) => number])[] = [
  ...SERVICES.flatMap(
    ({ name }) =>
      [
        [`${name}: objects, MB`, (before: number) => before + 6],
        [`${name}: resident, MB`, (before: number) => before + 24],
        [`${name}: descriptors`, (before: number) => before + 10],
      ] as const,
  ),
  ['PostgreSQL: connections', (before) => before + 4],
  ['Redis: connections', (before) => before + 2],
  ['Redis: keys', () => MOST_KEYS],
];

let result: SoakResult;
beforeAll(
  async () => {
    result = await soak(SECONDS);
    if (process.env.SOAK_SECONDS)
      console.table(Object.fromEntries(MAX_GROWTH.map(([name]) => [name, rowOf(name)])));
  },
  SECONDS * 1_300 + 120_000,
);

/** What is left at the least: what is under way at one moment only adds to it. */
function least(figure: string, fromShare: number, toShare: number): number {
  const { length } = result.samples;
  const part = result.samples.slice(Math.floor(length * fromShare), Math.ceil(length * toShare));
  return Math.min(...part.map((sample) => sample[figure]!));
}

function rowOf(figure: string): object {
  const all = result.samples.map((sample) => sample[figure]!);
  const figures = {
    'first quarter': least(figure, 0, 0.25),
    'second quarter': least(figure, 0.25, 0.5),
    'last quarter': least(figure, 0.75, 1),
    most: Math.max(...all),
  };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(1))]));
}

it('uses what it is to use: nearly all calls are answered as they should be', () => {
  for (const [name, { succeeded, failed }] of result.outcomes) {
    const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
    expect({ name, failed, isUsed: succeeded > 10, mayFail: failures <= MAX_FAILED * succeeded }).toEqual({
      ...{ name, failed },
      isUsed: true,
      mayFail: true,
    });
  }
});

it.each(MAX_GROWTH)('%s do not grow', (figure, most) => {
  expect(least(figure, 0.75, 1)).toBeLessThanOrEqual(most(least(figure, 0.25, 0.5)));
});

it('leaves no row in the table that holds work', () => {
  expect(result.leftRows).toBe(0);
});

it('leaves no key in Redis that does not expire', () => {
  expect(result.lastingKeys).toEqual([]);
});
