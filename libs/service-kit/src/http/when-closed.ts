import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Callback = (request: FastifyRequest, reply: FastifyReply) => void;

const callbacksOf = new WeakMap<FastifyInstance, Callback[]>();

/**
 * Calls back at the end of every request: when its answer is sent, or its client goes away before. Fastify's `onResponse` leaves
 * the second case out.
 */
export function whenClosed(fastify: FastifyInstance, callback: Callback): void {
  const others = callbacksOf.get(fastify);
  if (others) {
    others.push(callback);
    return;
  }
  const callbacks = [callback];
  callbacksOf.set(fastify, callbacks);
  fastify.addHook('onRequest', (request, reply, done) => {
    // One listener for all: Node.js warns of more than ten, and a stream that is sent adds its own.
    reply.raw.once('close', () => {
      for (const one of callbacks) one(request, reply);
    });
    done();
  });
}

/** The status that was sent, or 499, as proxies name it, if the client went away before. */
export function sentStatus({ raw, statusCode }: FastifyReply): number {
  return raw.headersSent ? statusCode : 499;
}
