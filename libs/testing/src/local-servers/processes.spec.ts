import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import {
  type GuardedProcess,
  startGuarded,
  startService,
  typescriptRegister,
  waitUntilReady,
} from './processes';

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
    const { postgres, redis } = await firstJsonLine(parent);
    const [postgresServer, redisServer] = [await describePostgres(postgres), await describeRedis(redis)];
    expect(existsSync(postgresServer.directory) && existsSync(redisServer.directory)).toBe(true);

    parent.signal(signal);
    await parent.exited;
    for (const { pid, directory } of [postgresServer, redisServer]) {
      await ended(pid);
      while (existsSync(directory)) await sleep(20);
    }
  },
);

it.each([
  ['says what it printed if it ends before', 'missing.ts', /Ended with status 1:[^]*Cannot find module/],
  ['waits while another one answers at its port', 'foreign-answers.js', /Ended with status 3:\nanswered 200/],
])('a service that is not ready %s', async (_, file, problem) => {
  const entry = join('libs/testing/test', file);
  await expect(startService({ entry, portVariable: 'GREETING_PORT' })).rejects.toThrow(problem);
});

async function firstJsonLine(started: GuardedProcess): Promise<{ postgres: string; redis: string }> {
  await waitUntilReady(started, () => started.output().includes('}\n'));
  return JSON.parse(started.output());
}

async function describePostgres(url: string) {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ directory: string; pid: string }>(
    `SELECT current_setting('data_directory') AS directory,
            split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  await client.end();
  return { directory: rows[0]!.directory, pid: Number(rows[0]!.pid) };
}

async function describeRedis(url: string) {
  const redis = new Redis(url);
  const [, directory] = (await redis.config('GET', 'dir')) as [string, string];
  const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))![1]);
  redis.disconnect();
  return { directory, pid };
}

/** Returns when the process is gone; the test's time limit is the limit. */
async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
}
