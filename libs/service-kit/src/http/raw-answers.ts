import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Envelope, ErrorAnswer } from '@cxp/error-envelopes';
import { responseInWork } from './request-queue';

/** Node.js's code of a request that it could not read; anything else is a 400. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** For Fastify's `clientErrorHandler`: answers what can't be read as a request in the words of the area, and closes the connection. */
export function answerUnreadable(
  envelope: Envelope,
  logger: Logger,
  error: { code?: string },
  socket: Socket,
): void {
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const inWork = responseInWork(socket);
  // The client would take an answer to what follows a request for the answer to that request.
  if (inWork && (inWork.headersSent || inWork.req.complete)) {
    socket.destroySoon();
    return;
  }
  const requestId = randomUUID();
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  const problem = { code: 'request_malformed', status, message: STATUS_CODES[status]! } as const;
  answerAndClose(socket, requestId, envelope(problem));
  logger.info({ requestId, status, code: error.code }, 'unreadable request');
}

/** Answers on a connection that the HTTP server does not answer on, and closes it. */
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
