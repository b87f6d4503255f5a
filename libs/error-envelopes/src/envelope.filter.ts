import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { commonEnvelope, type Envelope } from './envelopes';
import { toProblem } from './to-problem';

declare module 'fastify' {
  interface FastifyRequest {
    /** The limit of a 429. */
    exceededLimit?: string;
  }
}

/** The envelope that a request's problems are answered in. */
export type EnvelopeOf = (request: FastifyRequest) => Envelope;

/** Routes below `/internal` answer in one envelope in all areas, every other route in that of its area. */
export function envelopeByPath(area: Envelope): EnvelopeOf {
  // The URL of the request can be written in many ways.
  return ({ routeOptions, url }) =>
    (routeOptions.url ?? url).startsWith('/internal/') ? commonEnvelope : area;
}

/** Answers every problem of every route; the cause of an unexpected one goes to the log, not to the client. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly envelopeOf: EnvelopeOf) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    sendProblem(thrown, this.envelopeOf, request, http.getResponse<FastifyReply>());
  }
}

/** Sends the answer to what was thrown, or cuts the connection when an answer is already under way. */
export function sendProblem(
  thrown: unknown,
  envelopeOf: EnvelopeOf,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // The client is gone: the answer ended with the connection.
  if (request.raw.socket.destroyed && isPrematureClose(thrown)) return;
  const problem = toProblem(thrown);
  const context = { requestId: request.id, err: thrown };
  if (problem.code === 'unexpected') request.log.error(context, 'unexpected error');
  if (problem.code === 'dependency_unavailable') request.log.warn(context, 'dependency unavailable');
  if (reply.raw.headersSent) {
    // An answer that is complete is the one that counts: the request's time was over.
    if (!reply.raw.writableEnded) reply.raw.destroy();
    return;
  }
  if (problem.code === 'rate_limited') request.exceededLimit = problem.limit;
  const { status, body, headers } = envelopeOf(request)(problem);
  // Headers that described the answer that did not come about.
  for (const name of ['content-type', 'content-length', 'content-disposition']) reply.removeHeader(name);
  void reply.status(status).headers(headers).send(body);
}

function isPrematureClose(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
