import { InvalidRequestError } from '@cxp/client';

const DAY_MS = 24 * 3_600_000;

/** Days, as numbers since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

/** Every day that a record can have. */
const ALL_DAYS: Days = { first: Date.parse('0001-01-01') / DAY_MS, last: Date.parse('9999-12-31') / DAY_MS };

interface Digests<Item> {
  readonly change: number;
  readonly items: readonly Item[];
}

/**
 * The digests of all days, by as many calls as it takes: a window that holds too much for one answer is halved. The change is that of the
 * first answer: what is read later may be newer.
 */
export async function allDigests<Item>(
  read: (first: string, last: string) => Promise<Digests<Item>>,
  days = ALL_DAYS,
): Promise<Digests<Item>> {
  try {
    return await read(dateOf(days.first), dateOf(days.last));
  } catch (error) {
    if (!isTooLarge(error) || days.first === days.last) throw error;
  }
  const middle = Math.floor((days.first + days.last) / 2);
  const earlier = await allDigests(read, { ...days, last: middle });
  const later = await allDigests(read, { ...days, first: middle + 1 });
  return { change: earlier.change, items: [...earlier.items, ...later.items] };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.items.some(({ type }) => type === 'too_large');
}
