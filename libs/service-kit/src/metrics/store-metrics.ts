import type { Command, Redis } from 'ioredis';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import type { PostgresProbe, SharedPool } from '@cxp/storage';

/** In seconds. A request waits 1.8 at most. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** @returns what a statement's milliseconds are told to */
export function measureStatements(registry: Registry): (milliseconds: number) => void {
  const duration = new Histogram({
    name: 'postgres_statement_duration_seconds',
    help: 'Time from sending a statement to the end of its answer, also if it failed',
    buckets: BUCKETS,
    registers: [registry],
  });
  return (milliseconds) => duration.observe(milliseconds / 1_000);
}

/** Commands of connections that wait (streams, subscriptions) are not among them: those have connections of their own. */
function measureCommands(redis: Redis, registry: Registry): void {
  const duration = new Histogram({
    name: 'redis_command_duration_seconds',
    help: 'Time from sending a command to its answer, also if it failed',
    buckets: BUCKETS,
    registers: [registry],
  });
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...parameters) => {
    const sentAt = performance.now();
    const { resolve, reject } = command;
    const observe = () => duration.observe((performance.now() - sentAt) / 1_000);
    // Not its promise: one more for each command would cost more than all the rest.
    command.resolve = (value) => {
      observe();
      resolve(value);
    };
    command.reject = (error) => {
      observe();
      reject(error);
    };
    return send(command, ...parameters);
  };
}

/** Tells how busy the connections to PostgreSQL and Redis are, at the moment that somebody asks. */
export function measureStores(
  dataSource: DataSource,
  redis: Redis,
  registry: Registry,
  probe: PostgresProbe,
): void {
  const registers = [registry];
  measureCommands(redis, registry);
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
  new Gauge({
    name: 'citus_workers_away',
    help: 'Workers of a Citus cluster that do not answer: their organizations are not served',
    registers,
    collect() {
      this.set(probe.workersAway.length);
    },
  });
}
