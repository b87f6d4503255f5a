import { milliseconds } from '../in-turn';
import { atPace } from '../load';
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

/** Makes calls at their rates, all at once. */
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
  const times = await atPace(perSecond, seconds, () => milliseconds(one));
  return { calls: times.length, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), failures };
}

/** Prints how calls fared in quiet, and beside something else. */
export function compareCalls<Name extends string>(
  quiet: Readonly<Record<Name, CallFigures>>,
  beside: Readonly<Record<Name, CallFigures>>,
): void {
  const names = Object.keys(quiet) as Name[];
  console.table(Object.fromEntries(names.map((name) => [name, rowOf(quiet[name], beside[name])])));
}

function rowOf(quiet: CallFigures, beside: CallFigures): Record<string, string | number> {
  return {
    calls: beside.calls,
    'quiet p50 ms': quiet.p50Ms.toFixed(1),
    'p50 ms': beside.p50Ms.toFixed(1),
    'quiet p99 ms': quiet.p99Ms.toFixed(1),
    'p99 ms': beside.p99Ms.toFixed(1),
    'p99 ratio': (beside.p99Ms / quiet.p99Ms).toFixed(2),
    failed: JSON.stringify({ ...quiet.failures, ...beside.failures }),
  };
}
