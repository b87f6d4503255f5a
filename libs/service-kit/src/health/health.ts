import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { PostgresProbe } from '@cxp/storage';

const CHECK_TIMEOUT_MS = 1_000;

/** Written to Redis to test writing. */
const PROBE_KEYS = 1_000;
const PROBE_KEY_SECONDS = 60;

export interface Readiness {
  readonly ready: boolean;
  /** Of the answering process. */
  readonly pid: number;
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'shutdown', 'up' | 'down'>>;
}

/** Ready if both stores answer and the service is not shutting down. */
@Injectable()
export class Health {
  private draining = false;
  private readonly drainingListeners: (() => void)[] = [];

  constructor(
    private readonly postgres: PostgresProbe,
    private readonly redis: Redis,
  ) {}

  /** Load balancers then send nothing more. */
  startDraining(): void {
    this.draining = true;
    for (const listener of this.drainingListeners) listener();
  }

  /** Called at the beginning of a shutdown, to answer requests that only wait. */
  onDraining(listener: () => void): void {
    this.drainingListeners.push(listener);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Writes to any slot, because a replica, a full server and a cluster that is down answer a PING. */
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
