import fc from 'fast-check';

/** Runs with the same seed repeat all random choices. */
export const seed = Number(process.env.CXP_TEST_SEED ?? 1);

// Jest loads this file first: without a seed of its own, a property repeats the same run.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

const factor = Number(process.env.CXP_TEST_RUNS_FACTOR ?? 1);

/** Long runs multiply the count. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * factor));
}

/**
 * `Math.random` with a seed.
 * @param name gives each use other numbers
 */
export function seededRandom(name: string): () => number {
  let state = [...name].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619), ~seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
