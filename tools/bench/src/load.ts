import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called for every request: what the next one sends. */
  readonly nextRequest: () => {
    method: 'GET' | 'POST';
    path: string;
    body?: string;
    /** In place of the headers of all. */
    headers?: Readonly<Record<string, string>>;
  };
  readonly connections: number;
  readonly seconds: number;
  readonly expectedStatus: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const SAMPLE_MS = 50;

/** Keeps `connections` requests under way for some seconds. @throws when an answer has another status than expected */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    // It ends at a sample, and takes one each second by default.
    sampleInt: SAMPLE_MS,
    requests: [
      {
        setupRequest: (request) => {
          const { headers = load.headers, ...next } = load.nextRequest();
          return { ...request, ...next, headers: { ...request.headers, ...headers } };
        },
      },
    ],
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (result.errors > 0 || statuses.some((status) => Number(status) !== load.expectedStatus)) {
    const { path } = load.nextRequest();
    throw new Error(`${load.url}${path}: ${result.errors} errors, statuses ${statuses.join(', ')}`);
  }
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

/**
 * Makes calls at a steady rate, whether or not those before them are answered: a server that is slow does not get fewer of them.
 * @param call is given its number, and when it is due by `performance.now()`
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
