import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { PostgresProbe } from '@cxp/storage';

/** The longest that a readiness check waits for an answer, in milliseconds. */
const CHECK_TIMEOUT_MS = 1_000;

/** What is written to Redis to see whether it can be written to. */
const PROBE_KEYS = 1_000;
const PROBE_KEY_SECONDS = 60;

export interface Readiness {
  readonly ready: boolean;
  /** Of the process that answers. */
  readonly pid: number;
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'shutdown', 'up' | 'down'>>;
}

/** Whether the service can serve: both stores answer and it is not shutting down. */
@Injectable()
export class Health {
  private draining = false;
  private readonly drainingListeners: (() => void)[] = [];

  constructor(
    private readonly postgres: PostgresProbe,
    private readonly redis: Redis,
  ) {}

  /** From now on not ready, so that load balancers send nothing more. */
  startDraining(): void {
    this.draining = true;
    for (const listener of this.drainingListeners) listener();
  }

  /** Calls back when the service begins to shut down: a request that only waits can be answered then. */
  onDraining(listener: () => void): void {
    this.drainingListeners.push(listener);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** A replica, a full server and a cluster that is down answer a PING; any of a cluster's slots is tried. */
  private async canWriteToRedis(): Promise<boolean> {
    const slot = Math.floor(Math.random() * PROBE_KEYS);
    return (await this.redis.set(`ready:${slot}`, 1, 'EX', PROBE_KEY_SECONDS)) === 'OK';
  }

  async readiness(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([
      isTrueInTime(this.postgres.isUp()),
      isTrueInTime(this.canWriteToRedis()),
    ]);
    const shutdown = this.draining ? 'down' : 'up';
    return {
      ready: postgres && redis && !this.draining,
      pid: process.pid,
      checks: { postgres: postgres ? 'up' : 'down', redis: redis ? 'up' : 'down', shutdown },
    };
  }
}

async function isTrueInTime(check: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  return Promise.race([check.catch(() => false), timeout]).finally(() => clearTimeout(timer));
}
