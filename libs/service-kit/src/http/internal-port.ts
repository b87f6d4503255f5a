import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export function hideInternalRoutes(fastify: FastifyInstance, internalPort: number): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // The URL can be written in many ways.
    const isInternal = request.routeOptions.url?.startsWith('/internal') ?? false;
    if (isInternal && request.raw.socket.localPort !== internalPort) reply.callNotFound();
    else done();
  });
}

/** Milliseconds for requests of the internal port during a stop: an upload may take minutes. */
const CLOSE_MS = 10_000;

/**
 * @returns closes the port after current requests are answered, or cuts them when they take too long
 * @throws when the port is taken
 */
export async function listen(server: Server, port: number, host: string): Promise<() => Promise<void>> {
  server.listen(port, host);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
    server.closeAllConnections();
  };
}
