import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The most requests of one connection that are in work at the same time. */
const MAX_IN_WORK = 4;

/** A connection is parsed in pieces of so many bytes: at most 57 requests, or 170 chunks of a body. Node.js reads 64 KiB at once. */
const PIECE_BYTES = 1_024;

/** How long pieces are parsed in one turn of the event loop, of all connections together, in milliseconds. */
const PARSING_MS = 2;

/** How many requests may wait in all connections together: each that Node.js has read takes some kilobytes. */
const MAX_WAITING = 10_000;

/** How many requests may wait in one connection whatever the others do. */
const MAX_WAITING_OF_ONE = 20;

/** How long a client may go on sending after it was answered, in milliseconds. */
const LINGER_MS = 5_000;

const NOTHING = Buffer.alloc(0);

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
  takeUpgrades(server, () => false);
}

/**
 * Gives requests that ask for another protocol to `take`. Those that it does not take are answered as if they did not ask: a server may
 * pass over `Upgrade` (RFC 9110, 7.8). Without this Node.js would drop what it has read behind such a request.
 */
export function takeUpgrades(
  server: Server,
  take: (request: IncomingMessage, socket: Socket, head: Buffer) => boolean,
): void {
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // The HTTP server no longer listens to the socket: an error without a listener would end the process.
    const destroy = () => socket.destroy();
    socket.on('error', destroy);
    whenAnswered(socket, () => {
      if (take(request, socket, head)) return;
      serveWithoutUpgrade(server, request, socket, head);
      socket.off('error', destroy);
    });
  });
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
  /** What was read of the connection, and is not parsed yet. */
  private unparsed: Buffer = NOTHING;
  private isEnded = false;
  private readonly push: Socket['push'];
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
    socket.resume = () => {
      if (this.isHeldBack) return socket;
      if (this.unparsed.length > 0) parseSoon(this);
      return resume();
    };
    this.push = socket.push.bind(socket);
    socket.push = (bytes: Buffer | null) => this.receive(bytes);
    const read = socket._read.bind(socket);
    socket._read = (size) => {
      if (this.unparsed.length === 0) read(size);
    };
    socket.once('close', () => this.close());
  }

  /**
   * Parses a piece of what was read.
   * @returns whether there is more to parse: not while requests wait, then the rest stays here
   */
  parsePiece(): boolean {
    const { socket } = this;
    if (this.isHeldBack || socket.destroyed || socket.isPaused()) return false;
    const piece = this.unparsed.subarray(0, PIECE_BYTES);
    this.unparsed = this.unparsed.subarray(PIECE_BYTES);
    this.push(piece);
    if (this.unparsed.length > 0) return true;
    if (this.isEnded) this.push(null);
    return false;
  }

  /** @returns whether the socket may read more */
  private receive(bytes: Buffer | null): boolean {
    const isShort = bytes === null || bytes.length <= PIECE_BYTES;
    if (this.unparsed.length === 0 && isShort) return this.push(bytes);
    if (bytes === null) this.isEnded = true;
    else this.unparsed = this.unparsed.length === 0 ? bytes : Buffer.concat([this.unparsed, bytes]);
    parseSoon(this);
    return false;
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
    this.unparsed = NOTHING;
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

/** The HTTP server has let go of a socket that it may have stopped reading: an empty piece makes the socket read, or what was read be parsed. */
function readAgain(socket: Socket): void {
  socket.push(NOTHING);
}

/** Connections of which something is unparsed, and that read nothing more until it is parsed. */
const unparsedConnections = new Set<Connection>();
let nextParsing: NodeJS.Immediate | undefined;

function parseSoon(connection: Connection): void {
  unparsedConnections.add(connection);
  nextParsing ??= setImmediate(parsePieces);
}

/** A piece of each connection in turn, until the time is over; in the context of no request. */
const parsePieces = AsyncResource.bind(() => {
  const endsAt = performance.now() + PARSING_MS;
  nextParsing = undefined;
  for (const connection of unparsedConnections) {
    unparsedConnections.delete(connection);
    // It comes last again, and this loop comes to it again.
    if (connection.parsePiece()) unparsedConnections.add(connection);
    if (performance.now() > endsAt) break;
  }
  if (unparsedConnections.size > 0) nextParsing ??= setImmediate(parsePieces);
});

/** Node.js lets the parser read a socket past its `push`, 64 KiB at once, until somebody else listens. */
function readByPushes(socket: Socket): void {
  const listener = () => undefined;
  socket.on('data', listener).off('data', listener);
}
