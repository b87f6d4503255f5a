import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The most requests of one connection that are in work at the same time. */
const MAX_IN_WORK = 4;

/** The most of a connection that is parsed in one turn of the event loop: about 40 small requests. Node.js reads 64 KiB at once. */
const MAX_PARSED_BYTES = 4 * 1_024;

/** How many requests may wait in all connections together: each that Node.js has read takes some kilobytes. */
const MAX_WAITING = 10_000;

/** How many requests may wait in one connection whatever the others do. */
const MAX_WAITING_OF_ONE = 100;

/** How long a client may go on sending after it was answered, in milliseconds. */
const LINGER_MS = 5_000;

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

const connections = new WeakMap<Socket, Connection>();

/**
 * Makes one connection one client. Node.js starts all requests that it has read of a connection, however many the client sends without waiting for answers.
 * Here a few are in work, the next begins when an answer has been sent, and while requests wait nothing is parsed: a client that
 * does not read its answers can send no more. Takes over the listeners of `request` that the server has.
 */
export function limitConnections(server: Server, maxWaiting = MAX_WAITING): void {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const waiting = { count: 0, most: maxWaiting };
  server.on('connection', (socket: Socket) => {
    // `serveWithoutUpgrade` gives the server a connection again.
    if (!connections.has(socket)) connections.set(socket, new Connection(socket, handle!, waiting));
    readByPushes(socket);
  });
  server.on('request', (request, response) => connections.get(request.socket)?.take(request, response));
}

/** Calls back when all requests that came whole on a connection are answered; never, if the connection ends before. */
export function whenAnswered(socket: Socket, callback: () => void): void {
  const connection = connections.get(socket);
  if (connection) connection.whenAnswered(callback);
  else callback();
}

/** Whether nothing is read of a connection because its requests wait: its client is not late. */
export function isHeldBack(socket: Socket): boolean {
  return connections.get(socket)?.isHeldBack ?? false;
}

/** Whether the request that came last on a connection was answered before all of it had come. */
export function isAnsweredEarly(socket: Socket): boolean {
  return connections.get(socket)?.isAnsweredEarly ?? false;
}

/**
 * Answers a request that asks for another protocol as if it did not: a server may pass over `Upgrade` (RFC 9110, 7.8). For the server's
 * `upgrade`, where Node.js has let go of the connection: the server gets it again, with the request that it has read.
 */
export function serveWithoutUpgrade(
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

/** Ends the server's side of a connection, and drops what the client still sends. */
export function linger(socket: Socket): void {
  connections.get(socket)?.linger();
}

/** The requests that all connections of a server keep waiting. */
interface Waiting {
  count: number;
  readonly most: number;
}

class Connection {
  private readonly inWork = new Set<ServerResponse>();
  private readonly waiting: (() => void)[] = [];
  private latest: IncomingMessage | undefined;
  private answered: (() => void) | undefined;
  private nextStart: NodeJS.Immediate | undefined;
  isHeldBack = false;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly all: Waiting,
  ) {
    const destroySoon = socket.destroySoon.bind(socket);
    const resume = socket.resume.bind(socket);
    // Node.js calls this after an answer with `Connection: close`. What is unread then would reset the connection, and a client that is
    // reset drops what it has received.
    socket.destroySoon = () => {
      if (this.isHeldBack || this.latest?.complete === false) this.linger();
      else destroySoon();
    };
    // Each request that is read, dumped or drained resumes the connection for those that follow it.
    socket.resume = () => (this.isHeldBack ? socket : resume());
    readInPieces(socket);
    socket.once('close', () => this.close());
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.isOver) return;
    this.latest = request;
    const start = () => {
      this.inWork.add(response);
      response.once('close', () => this.finish(response));
      this.handle(request, response);
    };
    if (this.inWork.size < MAX_IN_WORK && this.waiting.length === 0) {
      start();
      return;
    }
    // It starts after another request, but in the context that it came in: that of its trace.
    this.waiting.push(AsyncResource.bind(start));
    this.all.count++;
    this.isHeldBack = true;
    this.socket.pause();
    if (this.all.count > this.all.most && this.waiting.length > MAX_WAITING_OF_ONE) this.socket.destroy();
  }

  whenAnswered(callback: () => void): void {
    if (this.isAnswered) {
      callback();
      return;
    }
    // What follows the requests is for the one who waits: nothing of it may be read before.
    this.isHeldBack = true;
    this.answered = callback;
  }

  linger(): void {
    const { socket } = this;
    this.forgetWaiting();
    this.isHeldBack = false;
    // From here on nothing is parsed: the requests would pile up without an answer.
    const drop = () => undefined;
    socket.on('data', drop);
    for (const listener of socket.listeners('data')) {
      if (listener !== drop) socket.off('data', listener as () => void);
    }
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy());
    socket.end();
    readAgain(socket);
    socket.resume();
  }

  /** A request of which not all has come is no longer waited for: nothing more of it is read. */
  private get isAnswered(): boolean {
    return this.inWork.size + this.waiting.length <= (this.latest?.complete === false ? 1 : 0);
  }

  get isAnsweredEarly(): boolean {
    const answered = [...this.inWork].every(({ headersSent }) => headersSent);
    return this.latest?.complete === false && this.waiting.length === 0 && answered;
  }

  private get isOver(): boolean {
    return this.socket.destroyed || this.socket.writableEnded;
  }

  private finish(response: ServerResponse): void {
    this.inWork.delete(response);
    if (this.waiting.length > 0) this.startLater();
    else if (this.answered && this.isAnswered && !this.isOver) {
      const { answered } = this;
      this.answered = undefined;
      this.isHeldBack = false;
      readAgain(this.socket);
      answered();
    }
  }

  /** In a turn of the event loop of its own, so that requests of other connections come between. */
  private startLater(): void {
    this.nextStart ??= setImmediate(() => {
      this.nextStart = undefined;
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.isOver) return;
    while (this.inWork.size < MAX_IN_WORK && this.waiting.length > 0) {
      this.all.count--;
      this.waiting.shift()!();
    }
    if (this.waiting.length > 0 || this.answered || !this.isHeldBack) return;
    this.isHeldBack = false;
    this.socket.resume();
  }

  /**
   * Closes the responses that are in work. Node.js closes only the one that it is sending: the others would never emit `close`, and
   * what they hold until then (a share of exports, a stream that waits to be read) would be held for ever.
   */
  private close(): void {
    this.forgetWaiting();
    for (const response of this.inWork) {
      // A response closes with its connection: one that has none gets one that is closed.
      if (!response.socket) response.assignSocket(new Socket().destroy());
    }
  }

  private forgetWaiting(): void {
    this.all.count -= this.waiting.length;
    this.waiting.length = 0;
  }
}

/** The HTTP server has let go of a socket that it may have stopped reading: an empty piece makes the socket read by itself. */
function readAgain(socket: Socket): void {
  socket.push(Buffer.alloc(0));
}

/**
 * Gives the parser a connection in small pieces. What follows a piece is parsed in the same turn as long as nothing waits: a request that has to
 * wait pauses the socket, and then the pieces after it stay in the socket.
 */
function readInPieces(socket: Socket): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (!chunk || chunk.length <= MAX_PARSED_BYTES) return push(chunk, encoding);
    let wantsMore = true;
    for (let start = 0; start < chunk.length; start += MAX_PARSED_BYTES) {
      wantsMore = push(chunk.subarray(start, start + MAX_PARSED_BYTES), encoding);
    }
    return wantsMore;
  };
}

/** Node.js lets the parser read a socket past its `push`, 64 KiB at once, until somebody else listens. */
function readByPushes(socket: Socket): void {
  const listener = () => undefined;
  socket.on('data', listener).off('data', listener);
}
