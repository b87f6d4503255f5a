import type { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';
import type { LimitedDataSource, PostgresProbe } from '@cxp/storage';
import { manifestAbove } from '../manifest';

export function measureStores(dataSource: LimitedDataSource, redis: Redis, registry: Registry): void {
  const registers = [registry];
  const pool = dataSource.pool();
  new Gauge({
    name: 'postgres_pool_connections',
    help: 'Connections to PostgreSQL, in use or idle',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'postgres_pool_connections_max',
    help: 'Connections to PostgreSQL that there may be',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'postgres_pool_waiting',
    help: 'Work that waits for a connection to PostgreSQL',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
  new Gauge({
    name: 'redis_connected',
    help: '1 while there is a connection to Redis, else 0',
    registers,
    collect() {
      this.set(redis.status === 'ready' ? 1 : 0);
    },
  });
}

/** Whether acknowledged data is on two servers. Asks PostgreSQL at each scrape. */
export function measureSynchronousCommits(probe: PostgresProbe, registry: Registry): void {
  new Gauge({
    name: 'postgres_synchronous',
    help: '1 while a commit waits for a synchronous standby, else 0',
    registers: [registry],
    async collect() {
      const waits = await probe.waitsForStandby().catch(() => undefined);
      if (waits === undefined) this.reset();
      else this.set(waits ? 1 : 0);
    },
  });
}

export function measureBuild(registry: Registry): void {
  const { version, commit = 'unknown' } = manifestAbove(__dirname);
  new Gauge({
    name: 'cxp_build_info',
    help: '1, with the version and the commit of what runs',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit }, 1);
}
