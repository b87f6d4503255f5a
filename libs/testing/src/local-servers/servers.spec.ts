import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { query } from '../../test/query';
import { startPostgres, startRedis } from './servers';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cxp-local-servers-'))));
afterEach(() => rmSync(directory, { recursive: true }));

it('PostgreSQL keeps data in its directory, safely, from one start to the next, and says why it does not start', async () => {
  const options = { directory: join(directory, 'postgres') };
  const first = await startPostgres(options);
  await query(first.url, 'CREATE TABLE apple AS SELECT 1 AS id');
  const port = Number(new URL(first.url).port);
  await expect(startPostgres({ port })).rejects.toThrow('Address already in use');
  await first.stop();

  const second = await startPostgres(options);
  expect(await query(second.url, 'SELECT id FROM apple')).toEqual([{ id: 1 }]);
  expect(await query(second.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  await second.stop();
});

it('Redis keeps data in its directory from one start to the next', async () => {
  const options = { directory: join(directory, 'redis') };
  for (const found of [null, '1']) {
    const { url, stop } = await startRedis(options);
    const client = new Redis(url);
    expect(await client.getset('apple', 1)).toBe(found);
    client.disconnect();
    await stop();
  }
});
