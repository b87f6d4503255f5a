import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { query } from '../../test/query';
import { eventually } from '../eventually';
import { startGuarded, startService, typescriptRegister, waitUntilReady } from './processes';

it('ends what the process started, removes its directory, and kills what ignores the signal', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-guard-'));
  const shell = startGuarded({
    command: ['sh', '-c', 'trap "" TERM; (trap "" TERM; sleep 1000) & echo started; wait; sleep 1000'],
    killAfterMs: 50,
    removeDirectory: directory,
  });
  await waitUntilReady(shell, () => shell.output() === 'started\n');

  await shell.stop(); // Resolves when nobody holds its output open any more.
  expect(existsSync(directory)).toBe(false);
});

it('says when a program does not exist', async () => {
  const missing = startGuarded({ command: ['no-such-program'] });
  expect(await missing.exited).toBe(127);
  expect(missing.output()).toContain('ENOENT');
});

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'a process that ends by %s leaves no database server and no data behind',
  async (signal) => {
    const parent = startGuarded({
      command: [process.execPath, '-r', typescriptRegister, join(__dirname, '../../test/databases.ts')],
    });
    await waitUntilReady(parent, () => parent.output().includes('}\n'));
    const urls = JSON.parse(parent.output()) as { postgres: string; redis: string };
    const redis = new Redis(urls.redis, { retryStrategy: null }).on('error', () => undefined);
    const [, redisDirectory] = (await redis.config('GET', 'dir')) as [string, string];
    const setting = `SELECT current_setting('data_directory') AS directory`;
    const [{ directory }] = (await query(urls.postgres, setting)) as [{ directory: string }];
    const directories = [directory, redisDirectory];
    expect(directories.map(existsSync)).toEqual([true, true]);

    parent.signal(signal);
    await parent.exited;
    // The guard removes a directory when its server has ended.
    await eventually(() => !directories.some(existsSync));
    await expect(query(urls.postgres, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await eventually(() => redis.status === 'end');
  },
);

it.each([
  ['says what it printed if it ends before', 'missing.ts', /Ended with status 1:[^]*Cannot find module/],
  ['waits while another one answers at its port', 'foreign-answers.js', /Ended with status 3:\nanswered 200/],
])('a service that is not ready %s', async (_, file, problem) => {
  const entry = join('libs/testing/test', file);
  await expect(startService({ entry, portVariable: 'GREETING_PORT' })).rejects.toThrow(problem);
});
