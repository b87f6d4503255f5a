import { setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '../in-turn';
import { quantile } from '../statistics';

/** A call that is made at a steady rate. */
export interface SteadyCall {
  readonly perSecond: number;
  readonly success: number;
  /** @returns when the answer was read to its end */
  readonly call: () => Promise<{ readonly status: number }>;
}

export interface CallFigures {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status, and `cut` for those that broke off; without those that succeeded. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Makes calls at their rates, whether or not those before them are answered: a server that is slow does not get fewer of them. */
export async function makeSteadyCalls<Name extends string>(
  calls: Readonly<Record<Name, SteadyCall>>,
  seconds: number,
): Promise<Record<Name, CallFigures>> {
  const figures = await Promise.all(
    Object.entries<SteadyCall>(calls).map(async ([name, each]) => [name, await makeCalls(each, seconds)]),
  );
  return Object.fromEntries(figures) as Record<Name, CallFigures>;
}

async function makeCalls({ perSecond, success, call }: SteadyCall, seconds: number): Promise<CallFigures> {
  const failures: Record<string, number> = {};
  const one = async () => {
    const status = await call().then(
      (answer) => answer.status,
      () => 'cut' as const,
    );
    if (status !== success) failures[status] = (failures[status] ?? 0) + 1;
  };
  const under: Promise<number>[] = [];
  const start = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    await sleep(Math.max(0, start + (n * 1_000) / perSecond - performance.now()));
    under.push(milliseconds(one));
  }
  const times = await Promise.all(under);
  return { calls: times.length, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), failures };
}
