import { InvalidRequestError, UnavailableError } from '@cxp/client';
import { allDigests } from './followed-feed';

const tooLarge = () =>
  new InvalidRequestError(
    422,
    { detail: [{ loc: ['query', 'endDate'], msg: 'at most 2', type: 'too_large' }] },
    null,
  );

/** Answers like a service that has these days, and answers two of them at most; each answer is of a later change. */
function service(days: readonly string[]) {
  let change = 0;
  return async (first: string, last: string) => {
    const items = days.filter((day) => first <= day && day <= last);
    if (items.length > 2) throw tooLarge();
    return { change: ++change, items };
  };
}

it('has every day once, in order, and the change of the first answer: later ones may be newer', async () => {
  const first = ['0001-01-01', '1969-12-31', '1970-01-01'];
  const days = [...first, '2026-01-05', '2026-01-06', '2026-01-07', '9999-12-31'];
  expect(await allDigests(service(days))).toEqual({ change: 1, items: days });
});

it.each([
  ['another failure', new UnavailableError(503, {}, null), 1],
  // The days from 0001 to 9999 are halved to a single one by 22 calls.
  ['a single day that holds too much', tooLarge(), 23],
])('gives up at %s', async (_, error, calls) => {
  const read = jest.fn(() => Promise.reject(error));
  await expect(allDigests(read)).rejects.toBe(error);
  expect(read).toHaveBeenCalledTimes(calls);
});
