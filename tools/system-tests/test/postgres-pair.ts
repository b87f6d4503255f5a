import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LocalServer, startPostgres } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { type DatabaseSchema, migrate } from '@cxp/storage';
import { execute } from '../src/operated-server';
import { FaultyProxy } from '@cxp/testing/local-servers';

/** A day without a checkpoint: what a promoted server answers before its first one is what it answers in the tests. */
const SETTINGS = ['checkpoint_timeout=1d', 'max_wal_size=4GB', 'fsync=off', 'wal_receiver_status_interval=1'];

/** A primary and its standby, behind one address. */
export interface PostgresPair {
  /** Leads to the server that serves. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** From here on the standby receives nothing: what the primary commits is lost with it. */
  stopReceiving(): Promise<void>;
  /** Waits until the standby has replayed all that the primary has committed. */
  catchUp(): Promise<void>;
  /** Kills the primary and promotes the standby. The address leads to it. */
  failOver(): Promise<void>;
  /** The same, after the primary was stopped and has sent all that it has: as for maintenance. */
  switchOver(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A migrated PostgreSQL with a standby: a copy of its directory while it was stopped, because the embedded one has no pg_basebackup.
 * @param isSynchronous whether a commit waits for the standby
 */
export async function startPostgresPair(
  areas: readonly DatabaseSchema[],
  { isSynchronous = false } = {},
): Promise<PostgresPair> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-pair-'));
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  let primary = await startPostgres({ directory: first, settings: SETTINGS });
  for (const area of areas) await migrate(area, primary.url);
  await primary.stop();
  await promisify(execFile)('cp', ['-a', first, second]);
  const port = Number(new URL(primary.url).port);
  const names = isSynchronous ? [`synchronous_standby_names=*`, 'synchronous_commit=on'] : [];
  primary = await startPostgres({ directory: first, port, settings: [...SETTINGS, ...names] });
  await writeFile(join(second, 'standby.signal'), '');
  await appendFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
  );
  const standby = await startPostgres({ directory: second, settings: SETTINGS });
  let serving: LocalServer = primary;
  const address = await FaultyProxy.before(() => serving.url);
  const url = new URL(primary.url);
  url.port = new URL(address.url).port;
  const promote = async () => {
    await execute(standby.url, 'SELECT pg_promote()');
    serving = standby;
    address.cut();
  };
  const pair: PostgresPair = {
    url: url.href,
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    stopReceiving: async () => {
      await execute(standby.url, `ALTER SYSTEM SET primary_conninfo = ''`);
      await execute(standby.url, 'SELECT pg_reload_conf()');
      const receivers = 'SELECT count(*)::int AS count FROM pg_stat_wal_receiver';
      await eventually(
        async () => (await execute<{ count: number }>(standby.url, receivers))[0]!.count === 0,
      );
    },
    catchUp: async () => {
      const [{ lsn }] = (await execute(primary.url, 'SELECT pg_current_wal_insert_lsn() AS lsn')) as [
        { lsn: string },
      ];
      const replayed = `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS "isThere"`;
      await eventually(async () => (await execute<{ isThere: boolean }>(standby.url, replayed))[0]!.isThere);
    },
    failOver: async () => {
      const [pid] = (await readFile(join(first, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await primary.stop();
      await promote();
    },
    switchOver: async () => {
      await primary.stop();
      await promote();
    },
    remove: async () => {
      await address.close();
      await Promise.all([primary.stop(), standby.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  await pair.catchUp();
  return pair;
}
