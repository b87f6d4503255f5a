import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Node.js warns of more than ten listeners, which an answer that is a stream has already. */
const MAX_LISTENERS = 20;

/**
 * Calls back at the end of every request: when its answer is sent, or its client goes away before. Fastify's `onResponse` leaves
 * the second case out.
 */
export function whenClosed(
  fastify: FastifyInstance,
  callback: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.setMaxListeners(MAX_LISTENERS).once('close', () => callback(request, reply));
    done();
  });
}

/** The status that was sent, or 499, as proxies name it, if the client went away before. */
export function sentStatus({ raw, statusCode }: FastifyReply): number {
  return raw.headersSent ? statusCode : 499;
}
