import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Makes this the only local stack of a directory for as long as this process runs.
 * Linux's abstract sockets vanish with their process, however it ends, so nothing stale is ever in the way. Elsewhere
 * PostgreSQL's lock on its data refuses a second stack.
 * @throws one line, when there is another
 */
export async function holdDirectory(directory: string): Promise<void> {
  if (process.platform !== 'linux') return;
  // Names of sockets have at most 107 bytes.
  const name = createHash('sha256').update(directory).digest('hex');
  const server = createServer().listen(`\0cxp-local-stack:${name}`);
  try {
    await once(server, 'listening');
  } catch {
    throw new Error(`A local stack is already running in ${directory}`);
  }
  server.unref();
}
