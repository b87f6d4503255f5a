import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';

/** What is kept of a refused URL: enough to find its route, too short to be refused again. */
const MAX_KEPT_CHARACTERS = 512;

const NO_HOST = new ProblemError({ code: 'request_malformed', status: 400, message: 'Host is missing' });

const refusals = new WeakMap<IncomingMessage, Error>();

/**
 * For Fastify's `frameworkErrors`: the router refuses a URL that it can't decode, or whose parameter is too long, outside of all hooks.
 * The request goes through the router again under a URL that it can read, so that it is answered as every other request of its path:
 * with the same headers, in the same envelope, as a page where there are pages, and measured.
 */
export function routeAgain(
  error: Error,
  { raw, server }: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  refusals.set(raw, error);
  raw.url = raw.url?.slice(0, MAX_KEPT_CHARACTERS).replaceAll('%', '%25');
  server.routing(raw, response);
}

/** Answers what came here by `routeAgain`, and what names no host, as HTTP 1.1 wants it. To be called after all other hooks are added. */
export function answerRefused(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = refusals.get(request.raw) ?? (namesNoHost(request.raw) ? NO_HOST : undefined);
    if (refusal) sendProblem(refusal, envelopeOf, request, reply);
    else done();
  });
}

function namesNoHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}
