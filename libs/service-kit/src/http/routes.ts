import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ProblemError, sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';

const NO_HOST = new ProblemError({ code: 'request_malformed', status: 400, message: 'Host is missing' });

const NO_ROUTE = new ProblemError({ code: 'route_not_found' });

/** Refuses what has no route, or no host. */
export function refuseUnroutable(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.1' && headers.host === undefined) sendProblem(NO_HOST, envelopeOf, request, reply);
    else if (request.is404) sendProblem(NO_ROUTE, envelopeOf, request, reply);
    else done();
  });
}

export function hideInternalRoutes(fastify: FastifyInstance, internalPort: number): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // The URL can be written in many ways.
    const isInternal = request.routeOptions.url?.startsWith('/internal') ?? false;
    if (isInternal && request.raw.socket.localPort !== internalPort) reply.callNotFound();
    else done();
  });
}

/**
 * Fastify answers 404 to an unknown method of a path. The returned function, called after all routes are added, makes that 405
 * with `Allow`.
 */
export function collectOtherMethods(fastify: FastifyInstance, envelopeOf: EnvelopeOf): () => void {
  const methodsByUrl = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByUrl.set(url, methods);
  });
  return () => {
    const unknown = METHODS.filter((method) => !fastify.supportedMethods.includes(method));
    for (const method of unknown) fastify.addHttpMethod(method); // Of WebDAV, of caches.
    for (const [url, methods] of [...methodsByUrl]) {
      const allow = [...methods];
      const others = fastify.supportedMethods.filter((method) => !methods.has(method));
      fastify.route({
        url,
        method: others,
        // Before a body is received.
        onRequest: (request, reply) => {
          sendProblem(new ProblemError({ code: 'method_not_allowed', allow }), envelopeOf, request, reply);
        },
        handler: () => undefined,
      });
    }
  };
}
