import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';
import { StatementScope } from '@cxp/storage';
import { whenClosed } from './when-closed';

/**
 * How long a request may wait for PostgreSQL and Redis in all, in milliseconds: one that hangs is answered 503 while its
 * client still listens, however many calls it has made by then.
 */
export const DEADLINE_MS = 1_800;

/** Only tests have another one: see `setDeadline` of `@cxp/service-kit/testing`. */
// eslint-disable-next-line no-restricted-properties
let deadlineMs = Number(process.env.CXP_TEST_DEADLINE_MS ?? DEADLINE_MS);

export function setTestDeadline(milliseconds: number): void {
  deadlineMs = milliseconds;
}

/** The longest that a client may take to send a body, in milliseconds; then its connection is cut. */
const BODY_TIMEOUT_MS = 30_000;

/** When the handler of a request that was answered at its deadline has ended, too, in milliseconds. */
const HANDLER_ENDS_MS = 60_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See `PassesStatementsOn`. */
    passesStatementsOn?: boolean;
  }
  interface FastifyRequest {
    /** Set by `enforceRequestDeadline`; null once it is lifted. */
    deadline: NodeJS.Timeout | null;
    /** When its body began to be waited for, by `performance.now()`; null: it is not the client that is waited for. */
    receivingSince: number | null;
  }
}

/**
 * For a route that is called often: its handler passes `request.statements` on to its statements by `StatementScope.start`.
 * Statements of all other routes find their scope by themselves, which on Node.js 20 costs a quarter of a small request.
 */
export function PassesStatementsOn(): MethodDecorator {
  return RouteConfig({ passesStatementsOn: true } satisfies FastifyContextConfig);
}

/** The scope of the statements of the request. */
export const Statements = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().statements,
);

/** Answers requests whose stores take too long, and ends what still runs for them in PostgreSQL then. */
export function enforceRequestDeadline(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  fastify.decorateRequest('deadline', null);
  fastify.decorateRequest('receivingSince', null);
  fastify.decorateRequest('statements');
  fastify.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions;
    request.statements = new StatementScope(`route:${request.method} ${url}`);
    request.deadline = setTimeout(giveUp, deadlineMs, envelopeOf, request, reply);
    if (config.passesStatementsOn) done();
    else request.statements.run(done);
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    // A stream is sent at the pace of its reader.
    if (payload instanceof Readable) liftDeadline(request);
    done(null, payload);
  });
  whenClosed(fastify, (request, { raw }) => {
    const { statements } = request;
    if (raw.writableFinished) {
      // A statement beside the one that failed ends at the deadline.
      if (statements.isIdle) removeDeadline(request);
      if (!statements.isOver) statements.close();
    } else if (!request.deadline) endStatements(request);
  });
}

/**
 * Runs work that is of no request, but of a client, with the limits of a request: its connections are counted by `shares`, and
 * when its time is over, its statements are cancelled and it fails.
 */
export async function withinDeadline<Result>(
  shares: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const statements = new StatementScope(...shares);
  const timer = setTimeout(() => statements.end(), deadlineMs);
  try {
    return await statements.run(work);
  } finally {
    clearTimeout(timer);
    statements.close();
  }
}

/**
 * From here on the request may take its time: it is at the pace of its client, and ends with the connection. Every answer that is a
 * stream is. A request whose client is gone keeps its deadline.
 */
export function liftDeadline(request: FastifyRequest): void {
  if (!request.raw.socket.destroyed) removeDeadline(request);
}

function removeDeadline(request: FastifyRequest): void {
  if (request.deadline) clearTimeout(request.deadline);
  request.deadline = null;
}

/** While it waits for its client or for a change, a request is not at its deadline; afterwards the stores have all their time again. */
export async function pauseDeadline<Result>(
  request: FastifyRequest,
  wait: () => Promise<Result>,
): Promise<Result> {
  request.receivingSince = performance.now();
  try {
    return await wait();
  } finally {
    request.receivingSince = null;
    request.deadline?.refresh();
  }
}

function giveUp(envelopeOf: EnvelopeOf, request: FastifyRequest, reply: FastifyReply): void {
  const isReceiving = !reply.sent && request.receivingSince !== null;
  if (isReceiving && performance.now() - request.receivingSince! < BODY_TIMEOUT_MS) {
    request.deadline?.refresh();
    return;
  }
  endStatements(request);
  if (isReceiving) request.raw.destroy();
  else if (!reply.sent) {
    sendProblem(new ProblemError({ code: 'dependency_unavailable' }), envelopeOf, request, reply);
  }
}

function endStatements({ statements }: FastifyRequest): void {
  statements.end();
  // Until then, what the handler still starts is refused.
  setTimeout(() => statements.close(), HANDLER_ENDS_MS).unref();
}
