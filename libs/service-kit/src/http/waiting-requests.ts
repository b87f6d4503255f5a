import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The most requests of all connections that wait for the answer to another one of their connection. A packet of 64 KiB holds thousands of
 * requests, and Node.js makes objects for all of them before it reads no more: some tens of connections would take all memory.
 */
const MAX_WAITING_REQUESTS = 2_000;

/**
 * Gives a listener the requests of a server. A connection with whose request more would wait is closed: whoever sends one request after the
 * other, as proxies and browsers do, is never meant.
 */
export function handleRequests(server: Server, handle: RequestListener): void {
  /** Requests without an answer, by connection. */
  const unanswered = new WeakMap<Socket, number>();
  let waiting = 0;

  const begin = (socket: Socket): void => {
    const count = unanswered.get(socket);
    if (count === undefined) socket.once('close', () => end(socket, unanswered.get(socket)!));
    unanswered.set(socket, (count ?? 0) + 1);
    if (!count || ++waiting <= MAX_WAITING_REQUESTS) return;
    socket.destroy();
    // Node.js would go on with the packet, and keep its requests until the connection is closed in a later turn of the event loop. 2, which is what
    // it answers of an upgrade, ends the packet.
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
  // An expectation that is not known may be passed over (RFC 9110, 10.1.1). Node.js would answer 417 without an envelope.
  server.on('checkExpectation', receive);
  // One beyond those that a connection may send, which Node.js answers 503.
  server.on('dropRequest', (_request, socket) => begin(socket as Socket));
}
