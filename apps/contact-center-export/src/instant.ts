/** Milliseconds since 1970-01-01T00:00:00Z, with microseconds as the fraction. */
export type Instant = number;

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
