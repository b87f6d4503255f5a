import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const ATTEMPTS = 3;

/** A TCP port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a server on a free port, and on another one when somebody else takes the port in between. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === ATTEMPTS || !/address already in use/i.test(String(error))) throw error;
    }
  }
}
