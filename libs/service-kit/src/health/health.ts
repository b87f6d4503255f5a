import { Injectable, Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { failureReason, PostgresProbe, RedisScript } from '@cxp/storage';

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

/** A replica, a full server and a cluster that is down answer a PING; a user may lack the right to run scripts. */
const WRITE = new RedisScript<unknown>("return redis.call('SET', KEYS[1], 1, 'EX', ARGV[1])");

/** Ready if both stores answer and the service is not shutting down. */
@Injectable()
export class Health {
  private draining = false;
  private readonly drainingListeners: (() => void)[] = [];
  private readonly logger = new Logger(Health.name);
  /** The last failure of Redis; undefined if all was well. */
  private redisProblem: string | undefined;
  private readonly redisChecks = [
    // Any slot of a cluster.
    () => WRITE.run(this.redis, [`ready:${Math.floor(Math.random() * PROBE_KEYS)}`], [PROBE_KEY_SECONDS]),
  ];

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

  /** Adds what an area needs of Redis. */
  requireOfRedis(check: () => Promise<unknown>): void {
    this.redisChecks.push(check);
  }

  private async isRedisUp(): Promise<boolean> {
    const checked = Promise.all(this.redisChecks.map((check) => check()));
    const problem = await checked.then(() => undefined, failureReason);
    if (problem && problem !== this.redisProblem) {
      this.logger.warn(`Redis can't be served from: ${problem}`);
    }
    this.redisProblem = problem;
    return problem === undefined;
  }

  async readiness(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([
      isTrueInTime(this.postgres.isUp()),
      isTrueInTime(this.isRedisUp()),
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
