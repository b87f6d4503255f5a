import type { Redis } from 'ioredis';
import { RedisThrottlerStorage } from '@cxp/rate-limit';
import { connectRedis } from '@cxp/storage';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import { SurveySettings } from '../settings';
import { PostLimiter } from './post-limiter';

let testRedis: TestRedis;
let redis: Redis;

beforeAll(async () => {
  testRedis = await createTestRedis();
  redis = connectRedis(testRedis.url);
  await new Promise((resolve) => redis.once('ready', resolve));
});
beforeEach(() => redis.flushdb());
afterAll(async () => {
  redis.disconnect();
  await testRedis.close();
});

function limiter(limits: Partial<SurveySettings> = {}): PostLimiter {
  const settings = Object.assign(new SurveySettings(), {
    SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: 1_000,
    SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1_000,
    SURVEY_PUBLIC_LINK_PER_SEC_LIMIT: 1_000,
    SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 1_000,
    ...limits,
  });
  return new PostLimiter(redis, new RedisThrottlerStorage(redis), settings);
}

const allowed = async (verdict: ReturnType<PostLimiter['count']>) => (await verdict).allowed;

describe('PostLimiter', () => {
  it('counts an address over all links, in all processes', async () => {
    const limits = { SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 2 };
    const processes = [limiter(limits), limiter(limits)];
    expect(await allowed(processes[0]!.count('198.51.100.7', 'link-1'))).toBe(true);
    expect(await allowed(processes[1]!.count('198.51.100.7', 'link-2'))).toBe(true);
    expect(await allowed(processes[0]!.count('198.51.100.7', 'link-3'))).toBe(false);
    expect(await allowed(processes[1]!.count('198.51.100.8', 'link-1'))).toBe(true);
  });

  it('counts a link over all addresses', async () => {
    const one = limiter({ SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 2 });
    expect(await allowed(one.count('198.51.100.1', 'link-1'))).toBe(true);
    expect(await allowed(one.count('198.51.100.2', 'link-1'))).toBe(true);
    expect(await allowed(one.count('198.51.100.3', 'link-1'))).toBe(false);
    expect(await allowed(one.count('198.51.100.3', 'link-2'))).toBe(true);
  });

  it('counts a request that is refused for its address against no link, and the reverse', async () => {
    const one = limiter({ SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1, SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 2 });
    await one.count('198.51.100.1', 'link-1');
    for (let n = 0; n < 5; n++) expect(await allowed(one.count('198.51.100.1', 'link-1'))).toBe(false);
    expect(await allowed(one.count('198.51.100.2', 'link-1'))).toBe(true);
    expect(await allowed(one.count('198.51.100.3', 'link-1'))).toBe(false);
    expect(await allowed(one.count('198.51.100.3', 'link-2'))).toBe(true);
  });

  it('is exact when many ask at once', async () => {
    const one = limiter({
      SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 60,
      SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: 1_000,
    });
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, () => one.count('198.51.100.7', 'link-1')),
    );
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(60);
  });

  it('lets no address get to Redis, and nothing stay there for more than a minute', async () => {
    const address = '198.51.100.7';
    await limiter().count(address, 'link-1');
    const keys = await redis.keys('*');
    expect(keys).toHaveLength(5);
    for (const key of keys) {
      const life = await redis.pttl(key);
      expect(life).toBeGreaterThan(0);
      expect(life).toBeLessThanOrEqual(60_000);
      expect(key + (await redis.get(key))).not.toContain(address);
    }
  });

  it('hashes with a key that goes, so that the same address becomes another hash', async () => {
    const addressKeys = async () => (await redis.keys('*:address:*')).sort();
    await limiter().count('198.51.100.7', 'link-1');
    const before = await addressKeys();
    await redis.del('survey-pages:address-hash-key');
    await limiter().count('198.51.100.7', 'link-1');
    expect(await addressKeys()).toHaveLength(2 * before.length);
  });

  it('uses no hash key for longer than Redis keeps it', async () => {
    const one = limiter({ SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1 });
    await redis.set('survey-pages:address-hash-key', Buffer.alloc(32).toString('base64'), 'PX', 1);
    await one.count('198.51.100.7', 'link-1');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await one.count('198.51.100.7', 'link-2');
    expect(await redis.get('survey-pages:address-hash-key')).not.toBe(Buffer.alloc(32).toString('base64'));
  });

  it('fails while Redis is away, rather than let posts through uncounted', async () => {
    const away = connectRedis('redis://127.0.0.1:1');
    away.on('error', () => undefined);
    const one = new PostLimiter(away, new RedisThrottlerStorage(away), new SurveySettings());
    await expect(one.count('198.51.100.7', 'link-1')).rejects.toThrow();
    away.disconnect();
  });
});
