import { once } from 'node:events';
import { createServer } from 'node:net';
import type { LocalStackSettings } from './settings';

/** @throws one line that names the first port that is taken, and the variable that changes it */
export async function assertPortsAreFree(
  ports: readonly Pick<LocalStackSettings['services'][number], 'app' | 'port' | 'portVariable'>[],
): Promise<void> {
  for (const { app, port, portVariable } of ports) {
    if (await isTaken(port)) {
      throw new Error(`Port ${port} for ${app} is taken: end what listens there, or set ${portVariable}`);
    }
  }
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
