import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, sendProblem, type Envelope } from '@cxp/error-envelopes';

/**
 * How long a request may wait for PostgreSQL and Redis in all, in milliseconds: one that hangs is answered 503 while its
 * client still listens, however many calls it has made by then.
 */
const DEADLINE_MS = 1_800;

interface Deadline {
  timer: NodeJS.Timeout;
  readonly start: () => NodeJS.Timeout;
}

const deadlines = new WeakMap<FastifyRequest, Deadline>();

export function limitWaiting(fastify: FastifyInstance, envelope: Envelope): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const start = () => setTimeout(giveUp, DEADLINE_MS, envelope, request, reply);
    deadlines.set(request, { timer: start(), start });
    done();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(deadlines.get(request)?.timer);
    done();
  });
}

/** From here on the answer may take its time: what is left to do is at the pace of the client. */
export function liftDeadline(request: FastifyRequest): void {
  clearTimeout(deadlines.get(request)?.timer);
  deadlines.delete(request);
}

/** Does not count the time that the client takes, for instance to send a body. */
export async function outsideDeadline<Result>(
  request: FastifyRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = deadlines.get(request);
  clearTimeout(deadline?.timer);
  try {
    return await work();
  } finally {
    if (deadline) deadline.timer = deadline.start();
  }
}

function giveUp(envelope: Envelope, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return;
  sendProblem(new ProblemError({ code: 'dependency_unavailable' }), envelope, request, reply);
}
