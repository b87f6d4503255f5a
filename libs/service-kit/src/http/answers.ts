import { StreamableFile } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, type EnvelopeOf } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import type { Health } from '../health/health';
import { ignoredParameters, withoutBrackets } from './api-validation.pipe';

/** Nest sends what a handler returns, although the request may have been answered 503 when its time was over. */
export class OneAnswerAdapter extends FastifyAdapter {
  override reply(...sent: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [reply] = sent;
    const body: unknown = sent[1];
    if (!('sent' in reply && reply.sent)) return super.reply(...sent);
    if (body instanceof StreamableFile) body.getStream().destroy();
    return reply;
  }
}

export function headersOfEveryAnswer({ id }: FastifyRequest): Record<string, string> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' };
}

export function completeAnswers(fastify: FastifyInstance, health: Health): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headersOfEveryAnswer(request));
    request.query = withoutBrackets(request.query as object);
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Closing makes clients reconnect to another process, and lets this one end. The rest of a late body is not waited for.
    const isLate = reply.statusCode === 503 && !request.raw.complete;
    if (health.isDraining || isLate) void reply.header('connection', 'close');
    const ignored = ignoredParameters.get(request.query as object) ?? [];
    if (ignored.length > 0) void reply.header('x-ignored-parameters', namesIn(ignored));
    done(null, payload);
  });
}

/** Of a header; the names may be of any length. */
const MAX_NAMES_LENGTH = 1_000;

function namesIn(parameters: readonly string[]): string {
  return parameters
    .map((name) => encodeURIComponent(name.toWellFormed()))
    .join(', ')
    .slice(0, MAX_NAMES_LENGTH);
}

/** Of an answer that is written as JSON already: without it Fastify would call it text or bytes. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Bytes of an answer in one piece: smaller ones of all connections together are little. */
export const LARGE_ANSWER_BYTES = 16 * 1_024;

const MIB = 1_024 * 1_024;

/**
 * Bytes of unread large answers, per caller and in all. A slow client keeps them in memory, and rate limits count only
 * requests: of the largest pages, five of which may be asked for in a second, all fit.
 */
export const UNREAD_ANSWERS = { perOrganization: 96 * MIB, total: 192 * MIB };

/**
 * Answers 429 or 503 while too many large answers are unread. Large texts become bytes, which V8's heap does not hold.
 */
export function limitLargeAnswers(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  const unread = new ConcurrencyLimit(UNREAD_ANSWERS);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return done(null, payload);
    // A letter has three bytes at most.
    if (payload.length * 3 <= LARGE_ANSWER_BYTES) return done(null, payload);
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (bytes.length <= LARGE_ANSWER_BYTES) return done(null, bytes);
    try {
      const { holder = request.caller ?? `address:${request.clientAddress}` } = request;
      unread.holdUntilClosed(holder, reply.raw, bytes.length);
      done(null, bytes);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { status, body, headers } = envelopeOf(request)(error.problem);
      void reply.status(status).headers(headers).type(JSON_TYPE);
      done(null, JSON.stringify(body));
    }
  });
}
