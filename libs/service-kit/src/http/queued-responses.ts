import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Closes the responses that wait for their turn on a connection when it breaks. If a client sends requests without waiting for
 * answers, Node.js serves them at once and queues their responses, but closes only the one that it is sending: the others would
 * never emit `close`, and what they hold until then (a share of exports, a stream that waits to be read) would be held for ever.
 */
export function closeQueuedResponses(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket) return;
    const queue = queues.get(socket) ?? new Set();
    if (!queues.has(socket)) {
      queues.set(socket, queue);
      socket.once('close', () => queue.forEach(closeUnsent));
    }
    queue.add(response);
    response.once('close', () => queue.delete(response));
  });
}

/** A response closes with its connection: one that has none gets one that is closed. */
function closeUnsent(response: ServerResponse): void {
  if (!response.socket) response.assignSocket(new Socket().destroy());
}
