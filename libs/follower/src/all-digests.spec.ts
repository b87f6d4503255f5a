import { InvalidRequestError, UnavailableError } from '@cxp/client';
import { allDigests } from './followed-area';

const tooLarge = () =>
  new InvalidRequestError(
    422,
    { detail: [{ loc: ['query', 'endDate'], msg: 'at most 2', type: 'too_large' }] },
    null,
  );

/** Answers like a service that has these days, and answers two of them at most. */
function service(days: readonly string[]) {
  let change = 0;
  const asked: string[] = [];
  const read = async (first: string, last: string) => {
    asked.push(`${first} ${last}`);
    change += 1;
    const items = days.filter((day) => first <= day && day <= last);
    if (items.length > 2) throw tooLarge();
    return { change, items };
  };
  return { asked, read };
}

it('asks once for what fits one answer', async () => {
  const { asked, read } = service(['2026-01-05', '2026-01-06']);
  expect(await allDigests(read)).toEqual({ change: 1, items: ['2026-01-05', '2026-01-06'] });
  expect(asked).toEqual(['0001-01-01 9999-12-31']);
});

it('halves a window that holds too much, and has every day once, in order', async () => {
  const days = [
    '0001-01-01',
    '1969-12-31',
    '1970-01-01',
    '2026-01-05',
    '2026-01-06',
    '2026-01-07',
    '9999-12-31',
  ];
  const { items } = await allDigests(service(days).read);
  expect(items).toEqual(days);
});

it('answers the earliest change: what was read after it may be newer', async () => {
  const answers: (Error | { change: number; items: string[] })[] = [
    tooLarge(),
    { change: 4, items: ['a'] },
    { change: 9, items: ['b'] },
  ];
  const read = async () => {
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  expect(await allDigests(read)).toEqual({ change: 4, items: ['a', 'b'] });
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
