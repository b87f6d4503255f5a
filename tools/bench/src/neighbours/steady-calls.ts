import { setTimeout as sleep } from 'node:timers/promises';

/** A call that is made at a steady rate. */
export interface SteadyCall {
  readonly name: string;
  readonly perSecond: number;
  readonly success: number;
  /** @returns when the answer was read to its end */
  readonly call: (n: number) => Promise<{ readonly status: number }>;
}

export interface CallFigures {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status, and `cut` for those that broke off; without those that succeeded. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * Makes calls at their rates, whether or not those before them are answered: a server that is slow does not get fewer of them.
 * @returns the figures by name
 */
export async function makeSteadyCalls(
  calls: readonly SteadyCall[],
  seconds: number,
): Promise<Record<string, CallFigures>> {
  const figures = await Promise.all(
    calls.map(async (each) => [each.name, await makeCalls(each, seconds)] as const),
  );
  return Object.fromEntries(figures);
}

async function makeCalls({ perSecond, success, call }: SteadyCall, seconds: number): Promise<CallFigures> {
  const milliseconds: number[] = [];
  const failures: Record<string, number> = {};
  const under: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    await sleep(Math.max(0, start + (n * 1_000) / perSecond - performance.now()));
    under.push(
      (async () => {
        const sent = performance.now();
        const status = await call(n).then(
          (answer) => answer.status,
          () => 'cut' as const,
        );
        milliseconds.push(performance.now() - sent);
        if (status !== success) failures[status] = (failures[status] ?? 0) + 1;
      })(),
    );
  }
  await Promise.all(under);
  milliseconds.sort((a, b) => a - b);
  const quantile = (q: number) => milliseconds[Math.ceil(q * milliseconds.length) - 1]!;
  return { calls: milliseconds.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), failures };
}
