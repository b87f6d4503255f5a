import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { migrate, type DatabaseSchema } from '@cxp/storage';
import { startPostgres, startRedis, type LocalServer } from '@cxp/testing/local-servers';

/** A server of a test's own, which keeps its data and its port while it is stopped. */
export interface StoppableServer {
  readonly url: string;
  /** Where it keeps its data. */
  readonly directory: string;
  /** Ends as it does when an operator ends it; `kill` ends it as when it crashes. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface OwnStores {
  readonly postgres: StoppableServer;
  readonly redis: StoppableServer;
  readonly remove: () => Promise<void>;
}

/** A migrated PostgreSQL and a durable Redis that a test may stop, start and break as it likes. */
export async function startOwnStores(areas: readonly DatabaseSchema[]): Promise<OwnStores> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-faults-'));
  const [postgres, redis] = await Promise.all([
    stoppable(startPostgres, join(directory, 'postgres'), killPostgres),
    stoppable(startRedis, join(directory, 'redis'), killRedis),
  ]);
  for (const area of areas) await migrate(area, postgres.url);
  return {
    postgres,
    redis,
    remove: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function stoppable(
  start: typeof startPostgres,
  directory: string,
  kill: (directory: string, url: string) => Promise<void>,
): Promise<StoppableServer> {
  let server: LocalServer = await start({ directory });
  const port = Number(new URL(server.url).port);
  return {
    url: server.url,
    directory,
    stop: () => server.stop(),
    kill: async () => {
      await kill(directory, server.url);
      await server.stop();
    },
    start: async () => {
      server = await start({ directory, port });
    },
  };
}

/** An "immediate" shutdown: without a word to clients, without a checkpoint; the next start has to recover. */
async function killPostgres(directory: string): Promise<void> {
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT');
}

async function killRedis(_directory: string, url: string): Promise<void> {
  const redis = new Redis(url);
  const [, pid] = /process_id:(\d+)/.exec(await redis.info('server'))!;
  redis.disconnect();
  process.kill(Number(pid), 'SIGKILL');
}
