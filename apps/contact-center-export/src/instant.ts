/** Milliseconds since 1970-01-01T00:00:00Z, with microseconds as the fraction. */
export type Instant = number;

/** Whole microseconds: a difference of fractions is not exact. */
export function microsecondsBetween(from: Instant, to: Instant): number {
  return Math.round((to - from) * 1_000);
}

/** ISO 8601, UTC, with milliseconds. */
export function dateTime(instant: Instant): string;
export function dateTime(instant: Instant | null | undefined): string | null;
export function dateTime(instant: Instant | null | undefined): string | null {
  return instant === null || instant === undefined ? null : new Date(Math.floor(instant)).toISOString();
}

/** The number of ascending values that are at most the bound: also the index of the first above it. */
export function countUpTo(ascending: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
