import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests of a connection that wait for the answer to an earlier one of it. */
export const MAX_WAITING_OF_CONNECTION = 100;

/** The same of all connections. Everybody's next request waits for as many handlers, and each has its objects. */
export const MAX_WAITING = 500;

/**
 * Closes a connection that pipelines beyond the limit. Proxies and browsers send one request after the other and are not
 * affected.
 */
export function handleRequests(server: Server, handle: RequestListener): void {
  const unanswered = new WeakMap<Socket, number>();
  let waiting = 0;

  const begin = (socket: Socket): void => {
    const count = unanswered.get(socket);
    if (count === undefined) socket.once('close', () => end(socket, unanswered.get(socket)!));
    unanswered.set(socket, (count ?? 0) + 1);
    if (!count) return;
    waiting++;
    if (count <= MAX_WAITING_OF_CONNECTION && waiting <= MAX_WAITING) return;
    socket.destroy();
    // Node.js would process the rest of the packet, thousands of requests, and keep them until a later iteration of the event
    // loop. No documented call ends a packet. Returning 2, as for an upgrade, does.
    const { parser } = socket as { parser?: { onIncoming: () => number } };
    if (parser) parser.onIncoming = () => 2;
  };
  const end = (socket: Socket, ended: number): void => {
    const count = unanswered.get(socket)!;
    const left = Math.max(0, count - ended);
    unanswered.set(socket, left);
    waiting -= Math.max(0, count - 1) - Math.max(0, left - 1);
  };

  const receive: RequestListener = (request, response) => {
    const { socket } = request;
    begin(socket);
    if (socket.destroyed) return;
    response.once('close', () => end(socket, 1));
    handle(request, response);
  };
  server.on('request', receive);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1). Node.js would answer 417 without an envelope.
  server.on('checkExpectation', receive);
  // Beyond the requests per connection; Node.js answers 503.
  server.on('dropRequest', (_request, socket) => begin(socket as Socket));
}
