import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer,
  IncomingMessage,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Envelope, ErrorAnswer } from '@cxp/error-envelopes';
import { JSON_TYPE } from './answers';

/** Milliseconds for a request's headers. */
const HEADERS_TIMEOUT_MS = 10_000;

/** Milliseconds for a whole request, such as a large import. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;

const TIMEOUT_CHECK_MS = 1_000;

export const MAX_HEADER_BYTES = 16 * 1_024;

/** Milliseconds of silence between requests; longer than a proxy keeps an idle connection. */
const KEEP_ALIVE_MS = 72_000;

const IDLE_TIMEOUT_MS = 60_000;

/** Requests per connection, as in nginx. More that are pipelined get 503. */
const REQUESTS_PER_CONNECTION = 1_000;

/** A process accepts this many, sockets of chats included. Each takes 10 KiB, or 26 while it sends its headers. */
export const MAX_CONNECTIONS = 10_000;

export interface HttpServerOptions {
  readonly handle: RequestListener;
  /** Answers unreadable requests. */
  readonly envelope: Envelope;
  readonly logger: Logger;
  /** Other upgrades are ignored (RFC 9110, 7.8). */
  readonly acceptsUpgrade?: (request: IncomingMessage) => boolean;
}

export function createHttpServer({
  handle,
  envelope,
  logger,
  acceptsUpgrade = () => false,
}: HttpServerOptions): Server {
  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node.js would answer without an envelope.
    requireHostHeader: false,
    shouldUpgradeCallback: acceptsUpgrade,
    IncomingMessage: RequestInPieces,
  };
  const server = createServer(options);
  handleRequests(server, handle);
  answerUnreadable(server, envelope, logger);
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  return server;
}

/** Chunks of a body, or packets: 64 bytes each on average, besides the first ones. */
export const MAX_PIECES = 512;
export const PIECE_BYTES = 64;

/**
 * Each piece of a body is an object in memory until it is read, however small it is: 64 KiB in chunks of a byte take 8 MB while the
 * caller is looked up. A request in more pieces than it may have is unreadable.
 */
class RequestInPieces extends IncomingMessage {
  private pieces = 0;
  private bytes = 0;

  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(piece);
    this.pieces += 1;
    this.bytes += piece.length;
    if (this.pieces <= MAX_PIECES + this.bytes / PIECE_BYTES) return super.push(piece);
    // The server answers it, and closes the connection.
    if (!this.socket.writableEnded) this.socket.emit('error', new Error('a body in too many pieces'));
    return false;
  }

  /** Of a request that is answered before its body is here: Node.js would tell of no piece any more. */
  _dump(): void {
    this.removeAllListeners('data');
    this.resume();
  }
}

/** The most requests of a connection that wait for the answer to an earlier one of it. */
export const MAX_WAITING_OF_CONNECTION = 100;

/** As many wait on all connections together. Everybody's next request waits for as many handlers, and each has its objects. */
export const MAX_WAITING = 500;

/**
 * Closes a connection that pipelines beyond the limit. Proxies and browsers send one request after the other and are not
 * affected.
 */
function handleRequests(server: Server, handle: RequestListener): void {
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
    // Node.js would process the rest of the packet, thousands of requests. Returning 2, as for an upgrade, ends it.
    const { parser } = socket as { parser?: { onIncoming: () => number } };
    // eslint-disable-next-line no-restricted-syntax -- tools/decisions/0043-the-rest-of-a-packet-is-not-read.md
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

/** Milliseconds of a stop in which clients take what the kernel holds of their answers. */
const SENT_MS = 10_000;

const SENT_CHECK_MS = 50;

/** Waits until the kernel holds nothing unsent of this port: the network of a container ends with its process. Only Linux tells. */
export async function untilSent(port: number): Promise<void> {
  const until = Date.now() + SENT_MS;
  while (Date.now() < until && (await holdsUnsent(port))) await sleep(SENT_CHECK_MS);
}

async function holdsUnsent(port: number): Promise<boolean> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const name of ['tcp', 'tcp6']) {
    const table = await readFile(`/proc/net/${name}`, 'utf8').catch(() => '');
    for (const line of table.split('\n')) {
      const [, own, , , queues] = line.trim().split(/\s+/);
      if (own?.endsWith(ending) && !queues!.startsWith('00000000:')) return true;
    }
  }
  return false;
}

/** By Node.js's code of an unreadable request; others are a 400. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers an unreadable request with the area's envelope, and closes the connection. */
function answerUnreadable(server: Server, envelope: Envelope, logger: Logger): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => void responses.set(socket, response));
  server.on('clientError', (error: { code?: string }, stream) => {
    const socket = stream as Socket;
    if (socket.writableEnded) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const last = responses.get(socket);
    // A request is done when both its answer and its body are.
    const isDone = !last || (last.writableFinished && last.req.complete);
    if (!isDone && !isRefusable(last)) {
      socket.destroySoon();
      return;
    }
    const requestId = randomUUID();
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
    const problem = { code: 'request_malformed', status, message: STATUS_CODES[status]! } as const;
    answerAndClose(socket, requestId, envelope(problem));
    logger.info({ requestId, status, code: error.code }, 'unreadable request');
  });
}

/** True if the unreadable bytes belong to this request: later ones would get the answer of the request before. */
function isRefusable({ socket, headersSent, req }: ServerResponse): boolean {
  const isFirstInLine = socket !== null;
  return isFirstInLine && !headersSent && !req.complete;
}

/** For connections that the HTTP server does not answer. */
export function answerAndClose(
  socket: Socket,
  requestId: string,
  { status, body, headers }: ErrorAnswer,
): void {
  const text = JSON.stringify(body);
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(headers).map((header) => header.join(': ')),
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
  socket.destroySoon();
}
