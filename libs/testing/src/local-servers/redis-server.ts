import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfUnpacked, findOnPath, unpackedDebianPackage } from './debian-packages';
import { startGuarded, waitUntilReady } from './guarded-process';
import { freePort, type LocalServer, type LocalServerOptions } from './local-server';

const DURABLE = ['--appendonly', 'yes'];
const HOW_TO_INSTALL = 'install redis-server or valkey-server (apt install redis-server, brew install redis)';
const THROW_AWAY = ['--save', '', '--databases', '1000'];

/** Redis or Valkey: from the PATH, or Debian's, downloaded on first use. */
export async function startRedis({ directory, port }: LocalServerOptions = {}): Promise<LocalServer> {
  return startOn(port ?? (await freePort()), directory);
}

async function startOn(port: number, directory?: string): Promise<LocalServer> {
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

export interface RedisBinary {
  path: string;
  env: NodeJS.ProcessEnv;
}

/**
 * From the PATH, else Debian's, unpacked under `.local/` on first use.
 * @throws one line with how to install it
 */
export async function redisBinary(): Promise<RedisBinary> {
  const path = findOnPath('redis-server') ?? findOnPath('valkey-server');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('redis-server').catch((error: Error) => {
    throw new Error(`Redis is missing, and ${error.message}: ${HOW_TO_INSTALL}`);
  });
  return { path: join(root, 'usr/bin/redis-server'), env: environmentOfUnpacked(root) };
}
