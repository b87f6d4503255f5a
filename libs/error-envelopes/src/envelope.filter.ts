import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Envelope } from './envelope';
import { toProblem } from './to-problem';

/** Answers every problem of its scope in one envelope; the cause of an unexpected one goes to the log, not to the client. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly envelope: Envelope) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(thrown, this.envelope, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Sends the answer to what was thrown, or cuts the connection when an answer is already under way. */
export function sendProblem(
  thrown: unknown,
  envelope: Envelope,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const problem = toProblem(thrown);
  const context = { requestId: request.id, err: thrown };
  if (problem.code === 'unexpected') request.log.error(context, 'unexpected error');
  if (problem.code === 'dependency_unavailable') request.log.warn(context, 'dependency unavailable');
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const { status, body, headers } = envelope(problem);
  // Headers that described the answer that did not come about.
  for (const name of ['content-type', 'content-length', 'content-disposition']) reply.removeHeader(name);
  void reply
    .status(status)
    .headers({ ...headers })
    .send(body);
}
