import { Redis } from 'ioredis';
import { createTestRedis } from './test-redis';

describe('createTestRedis', () => {
  it('gives databases that are empty and independent of each other', async () => {
    const [one, other] = await Promise.all([createTestRedis(), createTestRedis()]);
    const [oneClient, otherClient] = [new Redis(one.url), new Redis(other.url)];
    await oneClient.set('apple', 1);

    expect(await otherClient.exists('apple')).toBe(0);
    await one.flush();
    expect(await oneClient.dbsize()).toBe(0);
    await Promise.all([oneClient.quit(), otherClient.quit(), one.close(), other.close()]);
  });

  it('leaves out a database that somebody keeps keys in', async () => {
    const first = await createTestRedis();
    const client = new Redis(first.url);
    await first.close();
    await client.set('apple', 1);

    const next = await createTestRedis();
    expect(next.url).not.toBe(first.url);
    expect(await client.get('apple')).toBe('1');
    await client.flushdb();
    await Promise.all([client.quit(), next.close()]);
  });
});
