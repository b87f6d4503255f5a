import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findOnPath, unpackedDebianPackage } from './debian-packages';

const HOW_TO_INSTALL = 'install redis-server or valkey-server (apt install redis-server, brew install redis)';

export interface RedisBinary {
  path: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The Redis or Valkey on the PATH, else Debian's, unpacked under `.local/` on first use: nothing is installed on the system.
 * @throws one line that says how to install it
 */
export async function redisBinary(): Promise<RedisBinary> {
  const path = findOnPath('redis-server') ?? findOnPath('valkey-server');
  if (path) return { path, env: process.env };
  const root = await unpackedDebianPackage('redis-server').catch((error: Error) => {
    throw new Error(`Redis is missing, and ${error.message}: ${HOW_TO_INSTALL}`);
  });
  const libraries = join(root, 'usr/lib');
  const LD_LIBRARY_PATH = readdirSync(libraries)
    .map((architecture) => join(libraries, architecture))
    .join(delimiter);
  return { path: join(root, 'usr/bin/redis-server'), env: { ...process.env, LD_LIBRARY_PATH } };
}
