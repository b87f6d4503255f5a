import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * Sent by its hash. ioredis's `defineCommand` trusts, inside an automatic pipeline, that Redis still has the script: after a
 * failover or SCRIPT FLUSH, every call would fail for up to a minute.
 */
export class RedisScript<Result> {
  private readonly sha1: string;

  constructor(private readonly source: string) {
    this.sha1 = createHash('sha1').update(source).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<Result> {
    try {
      return (await redis.evalsha(this.sha1, keys.length, ...keys, ...args)) as Result;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await redis.eval(this.source, keys.length, ...keys, ...args)) as Result;
    }
  }
}
