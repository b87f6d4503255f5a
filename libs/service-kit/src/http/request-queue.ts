import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const queues = new WeakMap<Socket, RequestQueue>();

/**
 * Handles the requests of a connection one after the other. Node.js emits `request` for everything that it has read of a connection,
 * however many requests a client sends without waiting for answers. While some wait here, nothing more is read.
 */
export function oneAfterTheOther(handle: RequestListener): RequestListener {
  return (request, response) => {
    queueOf(request.socket).add(() => handle(request, response), response);
  };
}

/** The response that is in work on a connection. */
export function responseInWork(socket: Socket): ServerResponse | undefined {
  return queues.get(socket)?.response;
}

/**
 * Gives requests that ask for another protocol to `take` when those before them are answered. `take` listens to the socket, ends it, or
 * returns false: then the request is answered as if it did not ask (RFC 9110, 7.8), which is what Node.js does without this.
 */
export function takeUpgrades(
  server: Server,
  take: (request: IncomingMessage, socket: Socket, head: Buffer) => boolean,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // The HTTP server no longer listens to the socket.
    socket.on('error', destroy).on('timeout', destroy);
    queueOf(socket).add(() => {
      socket.off('timeout', destroy);
      // While it waited nothing was read: an empty piece makes a socket read again.
      socket.push('');
      if (!take(request, socket, head)) {
        socket.off('error', destroy);
        serveWithoutUpgrade(server, request, socket, head);
      }
    });
  });
}

/** A listener that holds no request, for a socket that stays open. */
function destroy(this: Socket): void {
  this.destroy();
}

class RequestQueue {
  response: ServerResponse | undefined;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly socket: Socket) {}

  add(start: () => void, response?: ServerResponse): void {
    const begin = () => {
      this.response = response;
      response?.once('close', () => this.finish());
      start();
    };
    if (this.response) this.wait(begin);
    else begin();
  }

  private wait(begin: () => void): void {
    // It begins after another request, but in the context that it came in: that of its trace.
    this.waiting.push(AsyncResource.bind(begin));
    if (this.waiting.length > 1) return;
    this.socket.on('resume', this.pause).pause();
  }

  /** Node.js resumes a connection with the end of each request. */
  private readonly pause = () => this.socket.pause();

  private finish(): void {
    if (this.waiting.length === 0) this.response = undefined;
    // In a turn of the event loop of its own, so that requests of other connections come between.
    else setImmediate(() => this.beginNext());
  }

  private beginNext(): void {
    const { socket, waiting } = this;
    if (socket.destroyed) return;
    this.response = undefined;
    waiting.shift()!();
    if (waiting.length === 0) socket.off('resume', this.pause).resume();
  }
}

function queueOf(socket: Socket): RequestQueue {
  let queue = queues.get(socket);
  if (!queue) queues.set(socket, (queue = new RequestQueue(socket)));
  return queue;
}

/** Gives the server a connection again that Node.js has let go of, with the request that it has read. */
function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
