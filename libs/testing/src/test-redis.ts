import { Redis } from 'ioredis';
import { testRun } from './test-run';

const LEASE_SECONDS = 3600;

export interface TestRedis {
  readonly url: string;
  /** Removes every key of this test file's database. */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * An empty Redis database (`SELECT`) for a test file. Databases share channels (`PUBLISH`): a test that needs its own, or stops
 * Redis, uses `startRedis`.
 */
export async function createTestRedis(): Promise<TestRedis> {
  const server = new Redis(testRun.redisUrl);
  const index = await leaseEmptyDatabase(server).catch((error: unknown) => {
    server.disconnect();
    throw error;
  });
  const url = urlOf(index);
  const redis = new Redis(url);
  return {
    url,
    flush: async () => {
      await redis.flushdb();
    },
    close: async () => {
      await redis.flushdb();
      await server.del(leaseOf(index));
      await Promise.all([redis.quit(), server.quit()]);
    },
  };
}

/** Only an empty database is used: a developer's server keeps its data. */
async function leaseEmptyDatabase(server: Redis): Promise<number> {
  const databases = Number((await server.config('GET', 'databases'))[1]);
  for (let index = 1; index < databases; index++) {
    const leased = await server.set(leaseOf(index), process.pid, 'EX', LEASE_SECONDS, 'NX');
    if (leased && (await isEmpty(index))) return index;
  }
  throw new Error(`None of the ${databases} databases of REDIS_URL is free and empty`);
}

async function isEmpty(index: number): Promise<boolean> {
  const redis = new Redis(urlOf(index));
  try {
    return (await redis.dbsize()) === 0;
  } finally {
    redis.disconnect();
  }
}

function leaseOf(index: number): string {
  return `test-database:${index}`;
}

function urlOf(index: number): string {
  const url = new URL(testRun.redisUrl);
  url.pathname = `/${index}`;
  return url.href;
}
