import { runLoad, type Load, type LoadResult } from './load';
import { median } from './statistics';
import { reportProgress } from './progress';

const ROUNDS = 5;

/** The steps that a comparison reports. */
export const COMPARISON_STEPS = ROUNDS + 1;

/**
 * Loads two servers in turn, so that what else the machine does meets both, after a round to warm up.
 * @param name what progress is reported as
 * @returns a row for `console.table`; the ratio is the median of the rounds'
 */
export async function compareLoad(
  name: string,
  scenario: Omit<Load, 'url'>,
  serviceUrl: string,
  bareUrl: string,
): Promise<Record<string, string | number>> {
  const ours: LoadResult[] = [];
  const theirs: LoadResult[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    reportProgress(round === 0 ? `${name}: warm-up` : `${name}: round ${round} of ${ROUNDS}`);
    const measure = (url: string) => runLoad({ ...scenario, url });
    const [a, b] = [await measure(serviceUrl), await measure(bareUrl)];
    if (round === 0) continue; // warm-up
    ours.push(a);
    theirs.push(b);
  }
  const ratios = ours.map((result, i) => result.requestsPerSecond / theirs[i]!.requestsPerSecond);
  return {
    'requests/s': Math.round(median(ours.map((result) => result.requestsPerSecond))),
    'bare requests/s': Math.round(median(theirs.map((result) => result.requestsPerSecond))),
    ratio: median(ratios).toFixed(2),
    'ratio min–max': `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    'p50 ms': median(ours.map(({ p50Ms }) => p50Ms)),
    'p99 ms': median(ours.map(({ p99Ms }) => p99Ms)),
  };
}
