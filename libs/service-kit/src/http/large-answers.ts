import type { FastifyInstance } from 'fastify';
import { ProblemError, type EnvelopeOf } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';

/** Bytes of an answer in one piece. */
const LARGE_BYTES = 256 * 1_024;

const MIB = 1_024 * 1_024;

/**
 * Bytes of unread large answers, per caller and in all. A slow client keeps them in memory, and rate limits count only
 * requests.
 */
export const UNREAD_ANSWERS = { perOrganization: 64 * MIB, total: 128 * MIB };

const waiting = new ConcurrencyLimit(UNREAD_ANSWERS);

/** Answers 429 or 503 while too many large answers are unread. */
export function limitLargeAnswers(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : 0;
    if (bytes <= LARGE_BYTES) return done(null, payload);
    try {
      waiting.holdUntilClosed(request.caller ?? `address:${request.ip}`, reply.raw, bytes);
      done(null, payload);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { status, body, headers } = envelopeOf(request)(error.problem);
      void reply.status(status).headers(headers).type('application/json; charset=utf-8');
      done(null, JSON.stringify(body));
    }
  });
}
