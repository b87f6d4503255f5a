import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@cxp/service-kit/testing';
import { findDifferences } from './acknowledged-writes';
import { send } from '@cxp/services/http';
import { describeResult, Load, succeeded, type LoadResult } from './load';
import type { Operation } from '@cxp/services/workloads';

/** What is promised, in milliseconds. */
const ANSWERED_WITHIN = 2_000;
const RECOVERED_WITHIN = 5_000;

/** How long a fault lasts: longer than a request may wait. */
const FAULT_MS = 2_500;

/** A service is well again when nothing has failed for this long. */
const WELL_MS = 1_000;

export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown> | void;
  readonly end: () => Promise<unknown> | void;
}

/** A service under load, before, during and after a fault. */
export interface Episode {
  readonly results: readonly LoadResult[];
  readonly beganAt: number;
  readonly endedAt: number;
  /** The last time that a call failed. */
  readonly lastFailureAt: number;
  /** Whether the service was well again when the time for it was over. */
  readonly well: boolean;
  /** What `/health/live` and `/health/ready` answered at the end of the fault. */
  readonly health: { readonly live: number; readonly ready: number };
}

/** A service that a load is put on. */
export interface Target {
  readonly url: string;
  readonly caller: Caller;
  readonly operations: readonly Operation[];
}

/** Puts all services under load at once and lets the fault happen to them. */
export async function runEpisode(targets: readonly Target[], fault: Fault): Promise<Episode[]> {
  const loads = targets.map(({ url, operations, caller }) => Load.against(url, operations, caller));
  try {
    await sleep(300);
    await fault.begin();
    const beganAt = performance.now();
    await sleep(FAULT_MS);
    const health = await Promise.all(targets.map(({ url }) => healthOf(url)));
    await fault.end();
    const endedAt = performance.now();
    return await Promise.all(
      loads.map(async (load, index) => {
        const well = await waitUntilWell(load, endedAt);
        const results = await load.stop();
        return {
          results,
          beganAt,
          endedAt,
          lastFailureAt: lastFailure(results),
          well,
          health: health[index]!,
        };
      }),
    );
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
}

/**
 * Tests of what every service has to do during a fault of its stores.
 * @param options `mayGoUnseen`: whether a service may have no call that needs the store while it is away
 */
export function itWithstands(episode: () => Episode, { mayGoUnseen = false } = {}): void {
  it('answers every call with success, or with a 503 in its envelope that says when to come back', () => {
    const { results, health } = episode();
    expect(results.filter((result) => !isProper(result)).map(describeResult)).toEqual([]);
    expect(health.live).toBe(200);
  });

  it('answers within two seconds', () => {
    const slow = episode().results.filter(
      ({ startedAt, endedAt }) => endedAt - startedAt > ANSWERED_WITHIN + margin(),
    );
    expect(slow.map(describeResult)).toEqual([]);
  });

  it('recovers by itself within five seconds', () => {
    const { beganAt, endedAt, lastFailureAt, well } = episode();
    // Otherwise the fault was none.
    if (!mayGoUnseen) expect(lastFailureAt).toBeGreaterThan(beganAt);
    expect(lastFailureAt - endedAt).toBeLessThan(RECOVERED_WITHIN + margin());
    expect(well).toBe(true);
  });
}

/** A test that each acknowledged write is stored once. */
export function itKeepsWhatItAcknowledged(
  episode: () => Episode,
  stored: () => { databaseUrl: string; organizationId: string },
): void {
  it('keeps what it acknowledged, once', async () => {
    const { databaseUrl, organizationId } = stored();
    expect(await findDifferences(databaseUrl, organizationId, episode().results)).toEqual([]);
  });
}

async function healthOf(url: string): Promise<Episode['health']> {
  const [live, ready] = await Promise.all([
    send(url, { method: 'GET', path: '/health/live' }),
    send(url, { method: 'GET', path: '/health/ready' }),
  ]);
  return { live: live.status, ready: ready.status };
}

function isProper(result: LoadResult): boolean {
  const { answer, operation, error } = result;
  if (succeeded(result)) return true;
  // A file that ends too early must not look complete: the connection is cut.
  if (operation.streamed && error instanceof Error && error.message === 'aborted') return true;
  return (
    answer?.status === 503 &&
    Number(answer.headers['retry-after']) > 0 &&
    JSON.stringify(answer.body) === JSON.stringify(operation.unavailable)
  );
}

function lastFailure(results: readonly LoadResult[]): number {
  return Math.max(0, ...results.filter((result) => !succeeded(result)).map(({ endedAt }) => endedAt));
}

/** @returns whether nothing has failed for a while, before patience is over */
async function waitUntilWell({ results }: Load, since: number): Promise<boolean> {
  const patience = since + RECOVERED_WITHIN + margin() + WELL_MS;
  while (performance.now() < patience) {
    if (performance.now() - Math.max(lastFailure(results), since) > WELL_MS) return true;
    await sleep(50);
  }
  return false;
}

/** What other work of the machine may add to a duration, in milliseconds: a process then waits for its turns. */
function margin(): number {
  const [load] = loadavg() as [number];
  return 1_000 * Math.max(1, load / availableParallelism());
}
