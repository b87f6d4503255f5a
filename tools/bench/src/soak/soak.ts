import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { ServiceProcess } from '@cxp/local-servers';
import { SERVICES } from '@cxp/services/service-under-test';
import { openDescriptors, probe, PROBED } from '../probe';
import { Revision } from '../revision';
import { Target } from '../target';
import { SoakTraffic, type Outcome } from './soak-traffic';

const MB = 1_024 * 1_024;

/** Traffic between two looks at what is held, in seconds. */
const ROUND_SECONDS = 15;
/** After it: what was cut is noticed by then, in milliseconds. */
const SETTLING_MS = 1_500;

/** So short that sessions end while the run goes on. */
const SESSION_SECONDS = '10';

/** Rows of this wait for something that is soon done. */
const WORK_TABLE = 'webchat.undelivered';
const WORK_ENDS_WITHIN_MS = 20_000;

/** What is held at one moment, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>;

export interface SoakResult {
  /** After each round of traffic, while nothing is under way. */
  readonly samples: readonly Figures[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Rows of the table that holds only work, once there is none. */
  readonly leftRows: number;
  /** Keys of Redis without an expiry. */
  readonly lastingKeys: readonly string[];
}

/** Runs the three services under mixed traffic, with pauses in which is looked at what they hold. */
export async function soak(seconds: number): Promise<SoakResult> {
  const target = await Target.start(await Revision.here());
  const redis = new Redis(target.redis.url);
  try {
    const env = { ...PROBED, LOG_LEVEL: 'fatal', WEBCHAT_SESSION_TTL_SECONDS: SESSION_SECONDS };
    const services = new Map<string, ServiceProcess>();
    for (const service of SERVICES) services.set(service.name, await target.startProcess(service, env));
    const [webchat = '', contactCenter = '', survey = ''] = [...services.values()].map(({ url }) => url);
    const traffic = await SoakTraffic.prepare(target, { webchat, contactCenter, survey });
    const samples: Figures[] = [];
    for (let round = 0; round < Math.ceil(seconds / ROUND_SECONDS); round++) {
      await traffic.run(ROUND_SECONDS);
      await sleep(SETTLING_MS);
      samples.push(await sample(target, redis, services));
    }
    return {
      samples,
      outcomes: traffic.outcomes,
      leftRows: await leftRows(target),
      lastingKeys: await keysWithoutExpiry(redis),
    };
  } finally {
    redis.disconnect();
    await target.stop();
  }
}

async function sample(
  target: Target,
  redis: Redis,
  services: ReadonlyMap<string, ServiceProcess>,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, process] of services) {
    // The first collection only finalizes buffers, of up to 24 MB: the second frees them.
    await probe(process);
    const { used, resident } = await probe(process);
    figures[`${name}: objects, MB`] = used / MB;
    figures[`${name}: resident, MB`] = resident / MB;
    figures[`${name}: descriptors`] = await openDescriptors(process);
  }
  const [connected] = await target.query<{ count: number }>(
    'SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()',
  );
  const [, clients] = /connected_clients:(\d+)/.exec(await redis.info('clients'))!;
  figures['PostgreSQL: connections'] = connected!.count;
  figures['Redis: connections'] = Number(clients);
  // Unlike DBSIZE, without those that have expired and are not yet removed.
  figures['Redis: keys'] = (await redis.keys('*')).length;
  return figures;
}

async function leftRows(target: Target): Promise<number> {
  const deadline = performance.now() + WORK_ENDS_WITHIN_MS;
  for (;;) {
    const [rows] = await target.query<{ count: number }>(`SELECT count(*)::int FROM ${WORK_TABLE}`);
    if (rows!.count === 0 || performance.now() > deadline) return rows!.count;
    await sleep(200);
  }
}

async function keysWithoutExpiry(redis: Redis): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of redis.scanStream({ count: 1_000 }) as AsyncIterable<string[]>) {
    for (const key of batch) if ((await redis.ttl(key)) === -1) keys.push(key);
  }
  return [...new Set(keys)].sort();
}
