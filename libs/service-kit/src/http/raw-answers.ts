import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Envelope, ErrorAnswer } from '@cxp/error-envelopes';

/** By Node.js's code of an unreadable request; others are a 400. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers an unreadable request with the area's envelope, and closes the connection. */
export function answerUnreadable(server: Server, envelope: Envelope, logger: Logger): void {
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
      'Content-Type: application/json; charset=utf-8',
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
