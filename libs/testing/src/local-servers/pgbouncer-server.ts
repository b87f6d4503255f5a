import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfUnpacked, findOnPath, unpackedDebianPackage } from './debian-packages';
import { startGuarded, waitUntilReady } from './guarded-process';
import { freePort, type LocalServer } from './local-server';
import { workspaceRoot } from './workspace';

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

async function pgBouncerBinary(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const path = findOnPath('pgbouncer');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('pgbouncer');
  return { path: join(root, 'usr/sbin/pgbouncer'), env: environmentOfUnpacked(root) };
}
