import { performance } from 'node:perf_hooks';
import type { ServiceProcess } from '@cxp/local-servers';
import { runLoad, type Load } from './load';
import { planSteps, reportProgress } from './progress';
import { median } from './statistics';

const ROUNDS = 5;

/**
 * Does things in turn, so that what else the machine does meets all of them: a round to warm up, and then `rounds`.
 * @returns what each of them gave in each round
 */
export async function inTurn<Way extends string, Result>(
  ways: Readonly<Record<Way, () => Promise<Result>>>,
  rounds: number,
  beginRound: (round: number) => void = () => undefined,
): Promise<Record<Way, Result[]>> {
  const names = Object.keys(ways) as Way[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Way, Result[]>;
  for (let round = 0; round <= rounds; round++) {
    beginRound(round);
    for (const name of names) {
      const result = await ways[name]();
      if (round > 0) results[name].push(result);
    }
  }
  return results;
}

/** How long each of them takes, in milliseconds: the medians. */
export async function timesInTurn<Way extends string>(
  ways: Readonly<Record<Way, () => Promise<unknown>>>,
  rounds: number,
): Promise<Record<Way, number>> {
  const timed = Object.entries<() => Promise<unknown>>(ways).map(([name, work]) => [
    name,
    () => milliseconds(work),
  ]);
  const times = await inTurn(Object.fromEntries(timed) as Record<Way, () => Promise<number>>, rounds);
  const medians = Object.entries<number[]>(times).map(([name, all]) => [name, median(all)]);
  return Object.fromEntries(medians) as Record<Way, number>;
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Ratios of measurements that were made in turn: the median, the least and the greatest. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((value, round) => value / theirs[round]!);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
}

/** Loads a service and its bare implementation with each kind of request, in turn, and prints the ratios. */
export async function compareLoads(
  loads: Readonly<Record<string, Omit<Load, 'url'>>>,
  service: ServiceProcess,
  bare: ServiceProcess,
): Promise<void> {
  planSteps(Object.keys(loads).length * (ROUNDS + 1));
  const rows: Record<string, Record<string, string | number>> = {};
  for (const [name, load] of Object.entries(loads)) {
    const { ours, theirs } = await inTurn(
      {
        ours: () => runLoad({ ...load, url: service.url }),
        theirs: () => runLoad({ ...load, url: bare.url }),
      },
      ROUNDS,
      (round) => reportProgress(`${name}: ${round === 0 ? 'warm-up' : `round ${round} of ${ROUNDS}`}`),
    );
    const [rates, bareRates] = [ours, theirs].map((all) => all.map((one) => one.requestsPerSecond));
    rows[name] = {
      'requests/s': Math.round(median(rates!)),
      'bare requests/s': Math.round(median(bareRates!)),
      ratio: ratioOf(rates!, bareRates!),
      'p50 ms': median(ours.map(({ p50Ms }) => p50Ms)),
      'p99 ms': median(ours.map(({ p99Ms }) => p99Ms)),
    };
  }
  console.table(rows);
}
