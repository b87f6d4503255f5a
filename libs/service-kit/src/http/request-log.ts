import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Monitoring requests these routes every few seconds. */
export const PROBES = /^\/(health|metrics)\b/;

const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `x-request-id` if it is well-formed, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID();
}

/** Node.js warns of more than ten listeners, which a streamed answer already has. */
const MAX_LISTENERS = 20;

/** Calls back when the answer is sent or the client disconnects; Fastify's `onResponse` omits the latter. */
export function whenClosed(
  fastify: FastifyInstance,
  callback: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.setMaxListeners(MAX_LISTENERS).once('close', () => callback(request, reply));
    done();
  });
}

/** The sent status, or 499, as in proxies, if the client disconnected first. */
export function sentStatus({ raw, statusCode }: FastifyReply): number {
  return raw.headersSent ? statusCode : 499;
}

export function logRequests(fastify: FastifyInstance, logger: Logger): void {
  whenClosed(fastify, (request, reply) => {
    const level = PROBES.test(request.routeOptions.url ?? '') ? 'debug' : 'info';
    logger[level](
      {
        requestId: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: sentStatus(reply),
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        organizationId: request.principal?.organizationId,
      },
      'request',
    );
  });
}
