import type { Redis } from 'ioredis';
import { RedisThrottlerStorage } from '@cxp/rate-limit';
import { connectRedis } from '@cxp/storage';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import { SurveySettings } from '../settings';
import { PageLimiter } from './page-limiter';

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

function limiter(limits: Partial<SurveySettings> = {}): PageLimiter {
  const settings = Object.assign(new SurveySettings(), {
    SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: 1_000,
    SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1_000,
    SURVEY_PUBLIC_LINK_PER_SEC_LIMIT: 1_000,
    SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 1_000,
    ...limits,
  });
  return new PageLimiter(redis, new RedisThrottlerStorage(redis), settings);
}

/** Public ids of links. */
const LINKS = ['A', 'B', 'C'].map((letter) => letter.repeat(22)) as [string, string, string];

const allowed = async (verdict: ReturnType<PageLimiter['countPost']>) => (await verdict).allowed;

describe('PageLimiter', () => {
  it('counts an address over all links, in all processes', async () => {
    const limits = { SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 2 };
    const processes = [limiter(limits), limiter(limits)];
    expect(await allowed(processes[0]!.countPost('198.51.100.7', LINKS[0]))).toBe(true);
    expect(await allowed(processes[1]!.countPost('198.51.100.7', LINKS[1]))).toBe(true);
    expect(await allowed(processes[0]!.countPost('198.51.100.7', LINKS[2]))).toBe(false);
    expect(await allowed(processes[1]!.countPost('198.51.100.8', LINKS[0]))).toBe(true);
  });

  it('counts a link over all addresses', async () => {
    const one = limiter({ SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 2 });
    expect(await allowed(one.countPost('198.51.100.1', LINKS[0]))).toBe(true);
    expect(await allowed(one.countPost('198.51.100.2', LINKS[0]))).toBe(true);
    expect(await allowed(one.countPost('198.51.100.3', LINKS[0]))).toBe(false);
    expect(await allowed(one.countPost('198.51.100.3', LINKS[1]))).toBe(true);
  });

  it('counts a request that is refused for its address against no link, and the reverse', async () => {
    const one = limiter({ SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1, SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: 2 });
    await one.countPost('198.51.100.1', LINKS[0]);
    for (let n = 0; n < 5; n++) expect(await allowed(one.countPost('198.51.100.1', LINKS[0]))).toBe(false);
    expect(await allowed(one.countPost('198.51.100.2', LINKS[0]))).toBe(true);
    expect(await allowed(one.countPost('198.51.100.3', LINKS[0]))).toBe(false);
    expect(await allowed(one.countPost('198.51.100.3', LINKS[1]))).toBe(true);
  });

  it('counts views of an address apart from its posts', async () => {
    const one = limiter({ SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT: 2, SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1 });
    for (const isAllowed of [true, true, false]) {
      expect(await allowed(one.countView('198.51.100.1'))).toBe(isAllowed);
    }
    expect(await allowed(one.countPost('198.51.100.1', LINKS[0]))).toBe(true);
    expect(await allowed(one.countView('198.51.100.2'))).toBe(true);
  });

  it('keeps nothing of a path that is no link', async () => {
    await limiter().countPost('198.51.100.1', 'x'.repeat(1_000));
    expect((await redis.keys('*')).join()).not.toContain('xxx');
  });

  it('is exact when many ask at once', async () => {
    const one = limiter({
      SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 60,
      SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: 1_000,
    });
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, () => one.countPost('198.51.100.7', LINKS[0])),
    );
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(60);
  });

  it('lets no address get to Redis, and nothing stay there for more than a minute', async () => {
    const address = '198.51.100.7';
    await limiter().countPost(address, LINKS[0]);
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
    await limiter().countPost('198.51.100.7', LINKS[0]);
    const before = await addressKeys();
    await redis.del('survey-pages:address-hash-key');
    await limiter().countPost('198.51.100.7', LINKS[0]);
    expect(await addressKeys()).toHaveLength(2 * before.length);
  });

  it('uses no hash key for longer than Redis keeps it', async () => {
    const one = limiter({ SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: 1 });
    await redis.set('survey-pages:address-hash-key', Buffer.alloc(32).toString('base64'), 'PX', 1);
    await one.countPost('198.51.100.7', LINKS[0]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await one.countPost('198.51.100.7', LINKS[1]);
    expect(await redis.get('survey-pages:address-hash-key')).not.toBe(Buffer.alloc(32).toString('base64'));
  });

  it('fails while Redis is away, rather than let posts through uncounted', async () => {
    const away = connectRedis('redis://127.0.0.1:1');
    away.on('error', () => undefined);
    const one = new PageLimiter(away, new RedisThrottlerStorage(away), new SurveySettings());
    await expect(one.countPost('198.51.100.7', LINKS[0])).rejects.toThrow();
    away.disconnect();
  });
});
