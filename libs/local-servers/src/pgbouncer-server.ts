import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfUnpacked, findOnPath, unpackedDebianPackage } from './debian-packages';
import { onFreePort } from './free-port';
import { startGuarded, waitUntilReady } from './guarded-process';
import type { LocalServer } from './local-server';

/**
 * Starts a real PgBouncer in front of a PostgreSQL server, in transaction mode: the one on the PATH, or Debian's. It lets
 * nothing through that its defaults do not.
 */
export async function startPgBouncer(
  databaseUrl: string,
  otherUsers: readonly string[] = [],
): Promise<LocalServer> {
  const { path, env } = await pgBouncerBinary();
  const { hostname, port: serverPort, username } = new URL(databaseUrl);
  return onFreePort(async (port) => {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-pgbouncer-'));
    chmodSync(directory, 0o755);
    const users = [username, ...otherUsers].map((user) => `"${user}" ""\n`);
    writeFileSync(join(directory, 'users.txt'), users.join(''));
    writeFileSync(
      join(directory, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${hostname} port=${serverPort}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${join(directory, 'users.txt')}`,
        'pool_mode = transaction',
        'max_client_conn = 1000',
        'default_pool_size = 20',
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
  });
}

async function pgBouncerBinary(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const path = findOnPath('pgbouncer');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('pgbouncer');
  return { path: join(root, 'usr/sbin/pgbouncer'), env: environmentOfUnpacked(root) };
}
