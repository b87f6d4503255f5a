import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import {
  callerOfAddress,
  perSecondAndMinute,
  type RateLimitVerdict,
  type RateLimitWindow,
  RedisThrottlerStorage,
} from '@cxp/rate-limit';
import { RedisScript } from '@cxp/storage';
import { isPublicId } from '../links/public-id';
import { SurveySettings } from '../settings';

/** How long a key of the address hashes lives, in milliseconds, so that none is used for more than 60 seconds. */
const HASH_KEY_LIFE_MS = 55_000;

/** The key of the address hashes that all processes share now, made anew when it has gone. KEYS: it. ARGV: a new one, its life. */
const SHARE_HASH_KEY = new RedisScript<[key: string, millisecondsLeft: number]>(`
  redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
  return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }
`);

interface HashKey {
  readonly key: Buffer;
  /** By `performance.now()`. */
  readonly expiresAt: number;
}

/**
 * Counts views of the survey pages per client address, and posts per address and per link. Of an address only a hash gets to Redis,
 * whose key is random and is deleted within a minute: after that the counted addresses cannot be recovered.
 */
@Injectable()
export class PageLimiter {
  private readonly windows: Readonly<Record<'VIEW' | 'ADDRESS' | 'LINK', readonly RateLimitWindow[]>>;
  private hashKey: Promise<HashKey> | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly storage: RedisThrottlerStorage,
    settings: SurveySettings,
  ) {
    const windowsOf = (what: 'VIEW' | 'ADDRESS' | 'LINK') =>
      perSecondAndMinute(settings, `SURVEY_PUBLIC_${what}`);
    this.windows = { VIEW: windowsOf('VIEW'), ADDRESS: windowsOf('ADDRESS'), LINK: windowsOf('LINK') };
  }

  async countView(address: string): Promise<RateLimitVerdict> {
    return this.storage.consumeTogether('survey-pages', [
      { caller: `views:${await this.hashOf(address)}`, windows: this.windows.VIEW },
    ]);
  }

  async countPost(address: string, publicId: string): Promise<RateLimitVerdict> {
    return this.storage.consumeTogether('survey-pages', [
      { caller: `address:${await this.hashOf(address)}`, windows: this.windows.ADDRESS },
      // Another path is not the path of a link.
      ...(isPublicId(publicId) ? [{ caller: `link:${publicId}`, windows: this.windows.LINK }] : []),
    ]);
  }

  private async hashOf(address: string): Promise<string> {
    const { key } = await this.currentHashKey();
    return createHmac('sha256', key).update(callerOfAddress(address)).digest('base64url');
  }

  private async currentHashKey(): Promise<HashKey> {
    const known = await this.hashKey;
    if (known && performance.now() < known.expiresAt) return known;
    this.hashKey = this.shareHashKey();
    // The next request asks again.
    this.hashKey.catch(() => (this.hashKey = undefined));
    return this.hashKey;
  }

  private async shareHashKey(): Promise<HashKey> {
    const [key, millisecondsLeft] = await SHARE_HASH_KEY.run(
      this.redis,
      ['survey-pages:address-hash-key'],
      [randomBytes(32).toString('base64'), HASH_KEY_LIFE_MS],
    );
    return { key: Buffer.from(key, 'base64'), expiresAt: performance.now() + millisecondsLeft };
  }
}
