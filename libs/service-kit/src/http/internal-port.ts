import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const internalConnections = new WeakSet<Socket>();

/** Answers `/internal` as a path that does not exist, but to connections of the internal port. */
export function hideInternalRoutes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // Not the URL of the request, which can be written in many ways.
    const isInternal = request.routeOptions.url?.startsWith('/internal') ?? false;
    if (isInternal && !internalConnections.has(request.raw.socket)) reply.callNotFound();
    else done();
  });
}

/** How long requests of the internal port may take while the service stops, in milliseconds: an upload may take minutes. */
const CLOSE_MS = 10_000;

/**
 * Opens the internal port. Its connections are given to the service's own server, so that every limit of the service holds for them.
 * @returns closes it: what is under way is answered before, if it does not take too long, and cut if it does
 * @throws when the port is taken
 */
export async function listenInternally(
  http: HttpServer,
  port: number,
  host: string,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    internalConnections.add(socket);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    http.emit('connection', socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    http.closeIdleConnections();
    await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
    for (const socket of sockets) socket.destroy();
  };
}
