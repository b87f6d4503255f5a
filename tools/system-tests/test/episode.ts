import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { describeResult, findDifferences, Load, succeeded, type LoadResult } from '../src/load';
import { INTAKE, WORKLOADS, type RunningWorkloads, type Target } from '../src/workloads';

/** What is promised, in milliseconds. */
const ANSWERED_WITHIN = 2_000;
/** The statements of an intake may take long: a store is given up only once it does not answer another question either. */
const INTAKE_ANSWERED_WITHIN = 5_000;
const RECOVERED_WITHIN = 5_000;

/**
 * `CXP_TEST_DEADLINE_MS` for the services of an episode. A silent connection is given up earlier, after 900 ms, and the calls of the
 * load take less, also on a busy machine.
 */
export const SHORT_DEADLINE_MS = 1_000;

/** How long a fault lasts at least: longer than a request may wait. */
const FAULT_MS = 1_200;

/** Until then each service has met the fault, however slow the machine is. */
const MET_WITHIN_MS = 20_000;

/** What an answer may take longer than promised: a part of a second, and so many times what `/health/live` takes in the same time. */
const SLACK_MS = 500;
const SLACK_CALLS = 5;

/** A service is well again when nothing has failed for this long. */
const WELL_MS = 1_000;

export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown> | void;
  readonly end: () => Promise<unknown> | void;
}

/** A service under load, before, during and after a fault. */
interface Episode {
  readonly results: readonly LoadResult[];
  readonly beganAt: number;
  readonly endedAt: number;
  /** The last time that a call failed. */
  readonly lastFailureAt: number;
  /** What the machine may add to a duration at most, in milliseconds, between two moments. */
  readonly slack: (from: number, to: number) => number;
  /** Whether the service was well again when the time for it was over. */
  readonly well: boolean;
  /** What `/health/live` answered at the end of the fault. */
  readonly live: number;
}

interface FaultOptions {
  /** The operations that the fault hits; all by default. */
  readonly hits?: RegExp;
  /** Whether a service may have no call that needs the store while it is away. */
  readonly mayGoUnseen?: boolean;
}

/** Tests of what every service has to do during a fault of its stores, and after it. */
export function describeFault(
  fault: Fault,
  running: () => RunningWorkloads,
  databaseUrl: () => string,
  { hits = /./, mayGoUnseen = false }: FaultOptions = {},
): void {
  const hit = WORKLOADS.map(({ service, operations }, place) => ({
    name: service.name,
    place,
    operations: operations.filter(({ name }) => hits.test(name)),
  })).filter(({ operations }) => operations.length > 0);

  describe(`while ${fault.name}`, () => {
    let episodes: Map<string, Episode>;
    beforeAll(async () => {
      const targets = hit.map(({ place, operations }) => ({ ...running().targets[place]!, operations }));
      const all = await runEpisode(targets, fault, mayGoUnseen);
      episodes = new Map(hit.map(({ name }, index) => [name, all[index]!]));
    }, 90_000);

    it('is noticed: otherwise the fault was none', () => {
      const noticed = [...episodes.values()].map(({ beganAt, lastFailureAt }) => lastFailureAt > beganAt);
      if (mayGoUnseen) expect(noticed).toContain(true);
      else expect(noticed).not.toContain(false);
    });

    describe.each(hit)('$name', ({ name }) => {
      it('answers every call with success, or with a 503 in its envelope that says when to come back', () => {
        const { results, live } = episodes.get(name)!;
        expect(results.filter((result) => !isProper(result)).map(describeResult)).toEqual([]);
        expect(live).toBe(200);
      });

      it('answers within two seconds', () => {
        const { results, slack } = episodes.get(name)!;
        const slow = results.filter(
          ({ operation, startedAt, endedAt }) =>
            endedAt - startedAt >
            (operation.name === INTAKE ? INTAKE_ANSWERED_WITHIN : ANSWERED_WITHIN) +
              slack(startedAt, endedAt),
        );
        expect(slow.map(describeResult)).toEqual([]);
      });

      it('recovers by itself within five seconds', () => {
        const { endedAt, lastFailureAt, slack, well } = episodes.get(name)!;
        expect(lastFailureAt - endedAt).toBeLessThan(RECOVERED_WITHIN + slack(endedAt, lastFailureAt));
        expect(well).toBe(true);
      });

      it('keeps what it acknowledged, once', async () => {
        const { organizationId } = running().caller;
        const { results } = episodes.get(name)!;
        expect(await findDifferences(databaseUrl(), organizationId, results)).toEqual([]);
      });
    });
  });
}

/** Puts all services under load at once and lets the fault happen to them, until each has met it. */
async function runEpisode(
  targets: readonly Target[],
  fault: Fault,
  mayGoUnseen: boolean,
): Promise<Episode[]> {
  const loads = targets.map(({ url, operations, caller }) => Load.against(url, operations, caller));
  const controls = targets.map(({ url }) => new LiveControl(url));
  try {
    await sleep(300);
    await fault.begin();
    const beganAt = performance.now();
    await sleep(FAULT_MS);
    const isMet = () => loads.every(({ results }) => lastFailure(results) > beganAt);
    // Otherwise the fault was none: a test says so.
    if (!mayGoUnseen) await eventually(isMet, MET_WITHIN_MS).catch(() => undefined);
    const health = await Promise.all(
      targets.map(({ url }) => send(url, { method: 'GET', path: '/health/live' })),
    );
    await fault.end();
    const endedAt = performance.now();
    return await Promise.all(
      loads.map(async (load, index) => {
        const slack = (from: number, to: number) =>
          SLACK_MS + SLACK_CALLS * controls[index]!.slowest(from, to);
        const well = await waitUntilWell(load, endedAt, slack);
        const results = await load.stop();
        const { status: live } = health[index]!;
        return { results, beganAt, endedAt, lastFailureAt: lastFailure(results), slack, well, live };
      }),
    );
  } finally {
    await Promise.all([...loads, ...controls].map((each) => each.stop()));
  }
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
async function waitUntilWell({ results }: Load, since: number, slack: Episode['slack']): Promise<boolean> {
  const isPatient = (now: number) => now < since + RECOVERED_WITHIN + WELL_MS + slack(since, now);
  while (isPatient(performance.now())) {
    if (performance.now() - Math.max(lastFailure(results), since) > WELL_MS) return true;
    await sleep(50);
  }
  return false;
}

const CONTROL_PAUSE_MS = 50;

interface ControlCall {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Asks a process again and again whether it is alive, which needs no store: what that takes is the machine's part of whatever the process
 * answers at the same time.
 */
class LiveControl {
  private readonly calls: ControlCall[] = [];
  private stopping = false;
  private readonly asking: Promise<void>;

  constructor(private readonly url: string) {
    this.asking = this.ask();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.asking;
  }

  /** The longest call, in milliseconds, of those that were under way in a time, by `performance.now()`. */
  slowest(from: number, to: number): number {
    const times = this.calls
      .filter(({ startedAt, endedAt }) => startedAt <= to && endedAt >= from)
      .map(({ startedAt, endedAt }) => endedAt - startedAt);
    return Math.max(0, ...times);
  }

  private async ask(): Promise<void> {
    while (!this.stopping) {
      const startedAt = performance.now();
      await send(this.url, { method: 'GET', path: '/health/live' }).catch(() => undefined);
      this.calls.push({ startedAt, endedAt: performance.now() });
      await sleep(CONTROL_PAUSE_MS);
    }
  }
}
