import fc from 'fast-check';
import { ProblemError } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from './concurrency-limit';

const OWN_SHARE = { code: 'rate_limited', limit: 'at_once', retryAfterSeconds: 5 };
const ALL = { code: 'overloaded', retryAfterSeconds: 5 };

function problemOf(use: () => unknown): unknown {
  try {
    use();
    return undefined;
  } catch (error) {
    return (error as ProblemError).problem;
  }
}

it.each([
  ['fulfilled', () => Promise.resolve('done')],
  ['rejected', () => Promise.reject(new Error('failed'))],
])('ends work when its promise is %s', async (_, work) => {
  const limit = new ConcurrencyLimit({ perOrganization: 1, total: 1 });
  await Promise.allSettled([
    limit.run('a', async () => {
      expect(problemOf(() => limit.acquire('a'))).toEqual(OWN_SHARE);
      return work();
    }),
  ]);
  expect(problemOf(() => limit.acquire('a'))).toBeUndefined();
});

it('counts sizes, too: one more that fits is admitted, and a larger one is not', () => {
  const limit = new ConcurrencyLimit({ perOrganization: 10, total: 15 });
  const release = limit.acquire('a', 6);
  expect(problemOf(() => limit.acquire('a', 5))).toEqual(OWN_SHARE);
  limit.acquire('a', 4);
  expect(problemOf(() => limit.acquire('b', 6))).toEqual(ALL);
  release();
  expect(problemOf(() => limit.acquire('b', 10))).toBeUndefined();
});

it('admits exactly what runs within both limits, in any order of beginnings and ends, however often each is ended', () => {
  const step = fc.record({
    organization: fc.constantFrom('a', 'b', 'c'),
    ends: fc.option(fc.nat(20), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limit = new ConcurrencyLimit({ perOrganization: 2, total: 4, retryAfterSeconds: 7 });
      const begun: { organization: string; release: () => void; isOver: boolean }[] = [];
      for (const { organization, ends } of steps) {
        const ended = ends === undefined ? undefined : begun[ends];
        if (ended) {
          ended.release();
          ended.isOver = true;
          continue;
        }
        const running = begun.filter(({ isOver }) => !isOver);
        const own = running.filter((each) => each.organization === organization).length;
        const refused = own >= 2 ? OWN_SHARE : running.length >= 4 ? ALL : undefined;
        const expected = refused && { ...refused, retryAfterSeconds: 7 };
        const problem = problemOf(() =>
          begun.push({ organization, release: limit.acquire(organization), isOver: false }),
        );
        expect(problem).toEqual(expected);
      }
    }),
  );
});
