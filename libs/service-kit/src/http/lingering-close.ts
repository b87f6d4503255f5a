import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may go on sending after it was answered, in milliseconds. */
const LINGER_MS = 5_000;

/**
 * Closes connections so that the client can read the answer although it is still sending its body: a connection that is closed
 * with unread input is reset, and a client that is reset drops what it has received. The server therefore ends its own side,
 * and reads and drops what comes until the client ends its side, or time is over.
 */
export function closeLingering(server: Server): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.on('request', (request: IncomingMessage) => latest.set(request.socket, request));
  server.on('connection', (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node.js calls this after an answer with `Connection: close`.
    socket.destroySoon = () => {
      if (latest.get(socket)?.complete === false) linger(socket);
      else destroySoon();
    };
  });
}

/** Ends the server's side of a connection, and drops what the client still sends. */
export function linger(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  socket.end();
  socket.resume();
}
