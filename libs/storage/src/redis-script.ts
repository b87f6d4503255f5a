import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * A Lua script, sent by its hash. ioredis's `defineCommand` is not used because, inside an automatic pipeline, it
 * trusts that Redis still has the script: after a failover or SCRIPT FLUSH every call fails for up to a minute.
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
