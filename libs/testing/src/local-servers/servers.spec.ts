import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { query } from '../../test/query';
import { startPostgres, startRedis } from './servers';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cxp-local-servers-'))));
afterEach(() => rmSync(directory, { recursive: true }));

describe('startPostgres', () => {
  it('keeps data in its directory, safely, from one start to the next', async () => {
    const options = { directory: join(directory, 'postgres') };
    const first = await startPostgres(options);
    await query(first.url, 'CREATE TABLE apple AS SELECT 1 AS id');
    await first.stop();

    const second = await startPostgres(options);
    expect(await query(second.url, 'SELECT id FROM apple')).toEqual([{ id: 1 }]);
    expect(await query(second.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await second.stop();
  });

  it('says why it does not start', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    await expect(startPostgres({ port })).rejects.toThrow('Address already in use');
    listener.close();
  });
});

describe('startRedis', () => {
  it('keeps data in its directory from one start to the next', async () => {
    const options = { directory: join(directory, 'redis') };
    const first = await startRedis(options);
    const writer = new Redis(first.url);
    await writer.set('apple', 1);
    writer.disconnect();
    await first.stop();

    const second = await startRedis(options);
    const reader = new Redis(second.url);
    expect(await reader.get('apple')).toBe('1');
    reader.disconnect();
    await second.stop();
  });
});
