import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, sendProblem, type Envelope } from '@cxp/error-envelopes';

/**
 * How long a request may wait for PostgreSQL and Redis in all, in milliseconds: one that hangs is answered 503 while its
 * client still listens, however many calls it has made by then.
 */
const DEADLINE_MS = 1_800;

/** The longest that a client may take to send a body, in milliseconds; then its connection is cut. */
const BODY_TIMEOUT_MS = 30_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `limitWaiting`; null once it is lifted. */
    deadline: NodeJS.Timeout | null;
    /** When its body began to be waited for, by `performance.now()`; null: it is not the client that is waited for. */
    receivingSince: number | null;
  }
}

export function limitWaiting(fastify: FastifyInstance, envelope: Envelope): void {
  fastify.decorateRequest('deadline', null);
  fastify.decorateRequest('receivingSince', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.deadline = setTimeout(giveUp, DEADLINE_MS, envelope, request, reply);
    done();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    liftDeadline(request);
    done();
  });
}

/** From here on the answer may take its time: what is left to do is at the pace of the client. */
export function liftDeadline(request: FastifyRequest): void {
  if (request.deadline) clearTimeout(request.deadline);
  request.deadline = null;
}

/** The client may take longer than the stores to send a body, and then the stores have all their time. */
export async function whileReceiving<Result>(
  request: FastifyRequest,
  receive: () => Promise<Result>,
): Promise<Result> {
  request.receivingSince = performance.now();
  try {
    return await receive();
  } finally {
    request.receivingSince = null;
    request.deadline?.refresh();
  }
}

function giveUp(envelope: Envelope, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return;
  if (request.receivingSince === null) {
    sendProblem(new ProblemError({ code: 'dependency_unavailable' }), envelope, request, reply);
  } else if (performance.now() - request.receivingSince < BODY_TIMEOUT_MS) {
    request.deadline?.refresh();
  } else {
    request.raw.destroy();
  }
}
