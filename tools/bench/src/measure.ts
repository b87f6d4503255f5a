import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Request } from 'autocannon';
import type { HttpRequest } from '@cxp/services/http';

/** What one measurement gives: a rate, a time or a size, and the times of single calls where there are many, in milliseconds. */
export interface Figures {
  readonly value: number;
  readonly p50?: number;
  readonly p99?: number;
}

export interface Load {
  readonly url: string;
  /** The next call. */
  readonly next: () => HttpRequest;
  readonly connections: number;
  readonly seconds: number;
  readonly expectedStatus: number;
}

const SAMPLE_MS = 50;

/** Keeps calls under way for some seconds: calls/s. @throws when an answer has another status than expected */
export async function rate({ url, next, connections, seconds, expectedStatus }: Load): Promise<Figures> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    // It ends at a sample, and takes one each second by default.
    sampleInt: SAMPLE_MS,
    requests: [{ setupRequest: (request) => ({ ...request, ...(next() as Request) }) }],
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (result.errors > 0 || statuses.some((status) => Number(status) !== expectedStatus)) {
    throw new Error(`${url}${next().path}: ${result.errors} errors, statuses ${statuses.join(', ')}`);
  }
  const { p50, p99 } = result.latency;
  return { value: result.requests.total / result.duration, p50, p99 };
}

/** Makes calls one after the other: the median time. */
export async function time(count: number, call: (n: number) => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push(await milliseconds(() => call(n)));
  return summary(times);
}

/** Makes some calls, `concurrency` at once: calls/s. */
export async function throughput(
  count: number,
  concurrency: number,
  call: (n: number) => Promise<unknown>,
): Promise<Figures> {
  const times: number[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const n = next++;
      times.push(await milliseconds(() => call(n)));
    }
  };
  const took = await milliseconds(() => Promise.all(Array.from({ length: concurrency }, work)));
  return { ...summary(times), value: (count * 1_000) / took };
}

/**
 * Makes calls at a steady rate, whether or not those before them are answered: a slow server does not get fewer of them.
 * @param call gets its number, and when it is due by `performance.now()`
 */
export async function atPace<Result>(
  perSecond: number,
  seconds: number,
  call: (n: number, due: number) => Promise<Result>,
): Promise<Result[]> {
  const under: Promise<Result>[] = [];
  const start = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = start + (n * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    under.push(call(n, due));
  }
  return Promise.all(under);
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The median, and the times of single calls. */
export function summary(times: readonly number[]): Figures {
  const p50 = median(times);
  return { value: p50, p50, p99: quantile(times, 0.99) };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
