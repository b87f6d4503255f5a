/** What everything random in tests is made of. A run with the same seed tests the same. */
export const seed = Number(process.env.CXP_TEST_SEED ?? 1);

const factor = Number(process.env.CXP_TEST_RUNS_FACTOR ?? 1);

/** How often something random is tried: so many times as here, or more in a long run. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * factor));
}

/**
 * As `Math.random`, but the same numbers in each run with the same seed.
 * @param name of what they are for: other names have other numbers
 */
export function seededRandom(name: string): () => number {
  let state = [...name].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619), ~seed);
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
