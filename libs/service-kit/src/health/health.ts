import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';

/** The longest that a readiness check waits for an answer, in milliseconds. */
const CHECK_TIMEOUT_MS = 1_000;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'shutdown', 'up' | 'down'>>;
}

/** Whether the service can serve: both stores answer and it is not shutting down. */
@Injectable()
export class Health {
  private draining = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly redis: Redis,
  ) {}

  /** From now on not ready, so that load balancers send nothing more. */
  startDraining(): void {
    this.draining = true;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  async readiness(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([
      answers(this.dataSource.query('SELECT 1')),
      answers(this.redis.ping()),
    ]);
    const shutdown = this.draining ? 'down' : 'up';
    return {
      ready: postgres && redis && !this.draining,
      checks: { postgres: postgres ? 'up' : 'down', redis: redis ? 'up' : 'down', shutdown },
    };
  }
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const answered = check.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, timeout]).finally(() => clearTimeout(timer));
}
