import type { Redis } from 'ioredis';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import { connectRedis, RedisScript } from './redis.module';

const ECHO = new RedisScript<[string, string]>('return { KEYS[1], ARGV[1] }');
const BROKEN = new RedisScript<void>("return redis.call('GET')");

let testRedis: TestRedis;
let redis: Redis;
beforeAll(async () => {
  testRedis = await createTestRedis();
  redis = connectRedis(testRedis.url);
  await new Promise((resolve) => redis.once('ready', resolve));
});
afterAll(async () => {
  await redis.quit();
  await testRedis.close();
});

it('runs, whether Redis knows the script, does not, or forgets it in between', async () => {
  for (const _ of [1, 2]) {
    await redis.script('FLUSH');
    const calls = Array.from({ length: 20 }, (_, i) => ECHO.run(redis, [`key ${i}`], [i]));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, (_, i) => [`key ${i}`, String(i)]));
  }
});

it('throws an error of the script as it is', async () => {
  await expect(BROKEN.run(redis, [], [])).rejects.toThrow(/Wrong number of args/);
});
