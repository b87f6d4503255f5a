import type { FastifyInstance } from 'fastify';
import { ProblemError, sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';

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
