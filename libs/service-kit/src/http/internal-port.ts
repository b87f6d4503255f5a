import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export function hideInternalRoutes(fastify: FastifyInstance, internalPort: number): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // Not the URL of the request, which can be written in many ways.
    const isInternal = request.routeOptions.url?.startsWith('/internal') ?? false;
    if (isInternal && request.raw.socket.localPort !== internalPort) reply.callNotFound();
    else done();
  });
}

/** How long requests of the internal port may take while the service stops, in milliseconds: an upload may take minutes. */
const CLOSE_MS = 10_000;

/**
 * Opens a port.
 * @returns closes it: what is under way is answered before, if it does not take too long, and cut if it does
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
