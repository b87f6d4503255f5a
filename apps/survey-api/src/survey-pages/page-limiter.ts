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
import { SurveySettings } from '../settings';
import { isPublicId } from './linked-survey.read-model';

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
 * whose key is random and forgotten within a minute: after that nobody can find out which addresses were counted.
 */
@Injectable()
export class PageLimiter {
  private readonly views: readonly RateLimitWindow[];
  private readonly posts: readonly RateLimitWindow[];
  private readonly postsOfLink: readonly RateLimitWindow[];
  private hashKey: Promise<HashKey> | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly storage: RedisThrottlerStorage,
    settings: SurveySettings,
  ) {
    this.views = perSecondAndMinute(
      settings.SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT,
      settings.SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT,
    );
    this.posts = perSecondAndMinute(
      settings.SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT,
      settings.SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT,
    );
    this.postsOfLink = perSecondAndMinute(
      settings.SURVEY_PUBLIC_LINK_PER_SEC_LIMIT,
      settings.SURVEY_PUBLIC_LINK_PER_MIN_LIMIT,
    );
  }

  async countView(address: string): Promise<RateLimitVerdict> {
    return this.storage.consumeTogether('survey-pages', [
      { caller: `views:${await this.hashOf(address)}`, windows: this.views },
    ]);
  }

  async countPost(address: string, publicId: string): Promise<RateLimitVerdict> {
    return this.storage.consumeTogether('survey-pages', [
      { caller: `address:${await this.hashOf(address)}`, windows: this.posts },
      // Whatever else is in the path is no link.
      ...(isPublicId(publicId) ? [{ caller: `link:${publicId}`, windows: this.postsOfLink }] : []),
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
