import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDependencyUnavailable } from '@cxp/storage';
import { commonEnvelope, type Envelope } from './envelopes';
import { MAX_PROBLEMS, MAX_RECORD_PROBLEMS, ProblemError, type InvalidItem, type Problem } from './problem';

declare module 'fastify' {
  interface FastifyRequest {
    exceededLimit?: string;
  }
}

export type EnvelopeOf = (request: FastifyRequest) => Envelope;

/** Routes below `/internal` have one envelope in all areas. */
export function envelopeByPath(area: Envelope): EnvelopeOf {
  // The URL of the request can be written in many ways.
  return ({ routeOptions, url }) =>
    (routeOptions.url ?? url).startsWith('/internal/') ? commonEnvelope : area;
}

/** The cause of an unexpected problem is logged and not sent. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly envelopeOf: EnvelopeOf) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    sendProblem(thrown, this.envelopeOf, request, http.getResponse<FastifyReply>());
  }
}

export function sendProblem(
  thrown: unknown,
  envelopeOf: EnvelopeOf,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // The client disconnected, so there is nothing to answer.
  if (request.raw.socket.destroyed && isPrematureClose(thrown)) return;
  const problem = toProblem(thrown);
  const context = { requestId: request.id, err: thrown };
  if (problem.code === 'unexpected') request.log.error(context, 'unexpected error');
  if (problem.code === 'dependency_unavailable' && !reply.raw.closed)
    request.log.warn(context, 'dependency unavailable');
  if (reply.raw.headersSent) {
    // A complete answer counts, although the request's time is over.
    if (!reply.raw.writableEnded) reply.raw.destroy();
    return;
  }
  if (problem.code === 'rate_limited') request.exceededLimit = problem.limit;
  const { status, body, headers } = envelopeOf(request)(problem);
  // These headers described the answer that failed.
  for (const name of ['content-type', 'content-length', 'content-disposition']) reply.removeHeader(name);
  void reply.status(status).headers(headers).send(body);
}

function isPrematureClose(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** An unknown error is `unexpected`: only the log has its cause. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return answered(thrown.problem);
  if (isDependencyUnavailable(thrown)) return { code: 'dependency_unavailable' };
  if (thrown instanceof HttpException) return fromStatus(thrown.getStatus(), thrown.message);
  if (isFastifyError(thrown)) return fromStatus(thrown.statusCode, thrown.message);
  return { code: 'unexpected' };
}

function answered(problem: Problem): Problem {
  return problem.code === 'invalid' ? { code: 'invalid', items: firstOf(problem.items) } : problem;
}

function firstOf(items: readonly InvalidItem[]): InvalidItem[] {
  const ofLine = new Map<number, number>();
  return [...items]
    .sort((one, other) => (lineOf(one) ?? 0) - (lineOf(other) ?? 0))
    .filter((item) => {
      const line = lineOf(item);
      if (line === undefined) return true;
      const count = (ofLine.get(line) ?? 0) + 1;
      ofLine.set(line, count);
      return count <= MAX_RECORD_PROBLEMS;
    })
    .slice(0, MAX_PROBLEMS);
}

/** undefined if the body is not a list of records. */
function lineOf({ loc: [, line] }: InvalidItem): number | undefined {
  return typeof line === 'number' ? line : undefined;
}

function fromStatus(status: number, message: string): Problem {
  if (status === 404) return { code: 'route_not_found' };
  if (status === 413) return { code: 'body_too_large' };
  if (status >= 400 && status < 500) return { code: 'request_malformed', status, message };
  return { code: 'unexpected' };
}

function isFastifyError(thrown: unknown): thrown is { code: string; statusCode: number; message: string } {
  return (
    thrown instanceof Error &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number' &&
    'code' in thrown &&
    String(thrown.code).startsWith('FST_ERR_')
  );
}
