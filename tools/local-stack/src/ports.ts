import { once } from 'node:events';
import { createServer } from 'node:net';
import type { LocalStackSettings } from './settings';

/** @throws one line that names the first port that is taken, and the variable that changes it */
export async function assertPortsAreFree(services: LocalStackSettings['services']): Promise<void> {
  for (const { app, port, portVariable } of services) {
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
