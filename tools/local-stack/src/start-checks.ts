import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { LocalStackSettings } from './settings';

type Port = Pick<LocalStackSettings['services'][number], 'app' | 'port' | 'portVariable'>;

/** @throws one line that names all ports that are taken, and the variables that change them */
export async function assertPortsAreFree(ports: readonly Port[]): Promise<void> {
  const taken: Port[] = [];
  for (const [place, one] of ports.entries()) {
    const isNamedTwice = ports.slice(0, place).some(({ port }) => port === one.port);
    if (isNamedTwice || (await isTaken(one.port))) taken.push(one);
  }
  if (taken.length === 0) return;
  const named = taken.map(({ app, port, portVariable }) => `port ${port} of ${app} (${portVariable})`);
  throw new Error(
    `Taken: ${named.join(', ')}. End what listens there, or set these variables to other ports`,
  );
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    return false;
  } catch {
    return true;
  } finally {
    server.close();
  }
}

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
