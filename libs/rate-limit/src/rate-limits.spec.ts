import type { Redis } from 'ioredis';
import { connectRedis } from '@cxp/storage';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import {
  perSecondAndMinute,
  rateLimitHeaders,
  RedisThrottlerStorage,
  rejectIfOver,
  type WindowState,
} from './rate-limits';

const WINDOWS = perSecondAndMinute({ A_PER_SEC_LIMIT: 3, A_PER_MIN_LIMIT: 5 }, 'A');
const [SECOND, MINUTE] = ['rate-limit:{caller}:1', 'rate-limit:{caller}:60'] as const;

let testRedis: TestRedis;
let redis: Redis;
let other: Redis;
let storage: RedisThrottlerStorage;

beforeAll(async () => {
  testRedis = await createTestRedis();
  [redis, other] = [connectRedis(testRedis.url), connectRedis(testRedis.url)];
  await Promise.all([redis, other].map((client) => new Promise((resolve) => client.once('ready', resolve))));
  storage = new RedisThrottlerStorage(redis);
});
beforeEach(() => testRedis.flush());
afterAll(async () => {
  await Promise.all([redis.quit(), other.quit()]);
  await testRedis.close();
});

it('refuses when one window is used up; that costs nothing in any window', async () => {
  // So that the second does not end while the test runs.
  await redis.set(SECOND, 0, 'PX', 50_000);
  for (let i = 0; i < 3; i++) await storage.hit('caller', WINDOWS);
  for (let i = 0; i < 10; i++) {
    const { allowed, windows } = await storage.hit('caller', WINDOWS);
    expect([allowed, ...windows.map(({ remaining }) => remaining)]).toEqual([false, 0, 2]);
  }
  expect(await redis.mget(SECOND, MINUTE)).toEqual(['3', '3']);
  await redis.multi().del(SECOND).set(MINUTE, 5, 'KEEPTTL').exec();
  expect((await storage.hit('caller', WINDOWS)).allowed).toBe(false);
  expect(await redis.exists(SECOND)).toBe(0);
});

it('starts a window with its first request and lets it end by itself', async () => {
  await storage.hit('caller', WINDOWS);
  const [second, minute] = [await redis.pttl(SECOND), await redis.pttl(MINUTE)];
  expect(second).toBeLessThanOrEqual(1_000);
  expect(minute).toBeGreaterThan(1_000);
  expect(minute).toBeLessThanOrEqual(60_000);

  await redis.pexpire(MINUTE, 5_000);
  await storage.hit('caller', WINDOWS);
  expect(await redis.pttl(MINUTE)).toBeLessThanOrEqual(5_000);
});

it('starts anew a window that lost its end, instead of refusing for ever', async () => {
  await redis.set(MINUTE, 1_000_000);
  expect(await storage.hit('caller', WINDOWS)).toMatchObject({
    allowed: true,
    windows: [{}, { remaining: 4 }],
  });
  expect(await redis.pttl(MINUTE)).toBeGreaterThan(0);
});

it('lets exactly the limit through when several connections count at once', async () => {
  const storages = [storage, new RedisThrottlerStorage(other)];
  const windows = perSecondAndMinute({ B_PER_SEC_LIMIT: 1_000, B_PER_MIN_LIMIT: 150 }, 'B');
  const verdicts = await Promise.all(
    Array.from({ length: 400 }, (_, i) => storages[i % 2]!.hit('caller', windows)),
  );
  expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(150);
});

it("serves the throttler's own interface", async () => {
  const hit = { totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 };
  expect(await storage.increment('key', 60_000, 2)).toEqual(hit);
  expect(await storage.increment('key', 60_000, 2)).toEqual({ ...hit, totalHits: 2 });
  expect(await storage.increment('key', 60_000, 2)).toEqual({
    totalHits: 2,
    timeToExpire: 60,
    isBlocked: true,
    timeToBlockExpire: 60,
  });
});

function window(limit: number, seconds: number, remaining: number, resetSeconds: number): WindowState {
  return { name: `PER_${seconds}`, limit, ttl: seconds * 1_000, remaining, resetSeconds };
}

describe('RateLimit-* headers', () => {
  it.each<[string, WindowState[], { limit: string; remaining: string; reset: string }]>([
    [
      'the window with the least left',
      [window(5, 1, 4, 1), window(50, 60, 3, 30)],
      { limit: '50', remaining: '3', reset: '30' },
    ],
    [
      'the shorter one when it has less',
      [window(5, 1, 2, 1), window(50, 60, 3, 30)],
      { limit: '5', remaining: '2', reset: '1' },
    ],
    [
      'of equals the one that lasts longer',
      [window(5, 1, 0, 1), window(50, 60, 0, 30)],
      { limit: '50', remaining: '0', reset: '30' },
    ],
    ['the only one', [window(5, 1, 5, 1)], { limit: '5', remaining: '5', reset: '1' }],
  ])('describe %s', (_, windows, { limit, remaining, reset }) => {
    expect(rateLimitHeaders({ allowed: true, windows })).toMatchObject({
      'RateLimit-Limit': limit,
      'RateLimit-Remaining': remaining,
      'RateLimit-Reset': reset,
    });
  });
});

describe('Retry-After and the limit of a 429', () => {
  it.each<[string, WindowState[], number, string]>([
    ['the second, when only it is used up', [window(5, 1, 0, 1), window(50, 60, 3, 30)], 1, 'PER_1'],
    ['the minute, when only it is used up', [window(5, 1, 5, 1), window(50, 60, 0, 30)], 30, 'PER_60'],
    ['the one that ends last, when both are', [window(5, 1, 0, 1), window(50, 60, 0, 30)], 30, 'PER_60'],
    ['at least a second', [window(5, 1, 0, 0)], 1, 'PER_1'],
  ])('are of %s', (_, windows, retryAfterSeconds, limit) => {
    const problem = { code: 'rate_limited', limit, retryAfterSeconds };
    expect(() => rejectIfOver({ allowed: false, windows })).toThrow(expect.objectContaining({ problem }));
  });
});
