import type { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import type { ReadReplica, SharedPool } from '@cxp/storage';

/** Tells how busy the connections to PostgreSQL and Redis are, at the moment that somebody asks. */
export function measureStores(
  dataSource: DataSource,
  redis: Redis,
  registry: Registry,
  replica?: ReadReplica,
): void {
  const registers = [registry];
  // TypeORM's name for the pool; its types do not know which one it is.
  const { master: pool } = dataSource.driver as unknown as { master: SharedPool };
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
      this.set(pool.waiters);
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
  if (!replica) return;
  new Gauge({
    name: 'postgres_replica_used',
    help: '1 while reads go to the replica, 0 while it is away or too far behind',
    registers,
    collect() {
      this.set(replica.isUsable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'postgres_replica_lag_seconds',
    help: 'How old what is read from the replica may be',
    registers,
    collect() {
      this.set(replica.lagSeconds);
    },
  });
}
