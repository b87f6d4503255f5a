import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import type { Authenticator } from './authentication';

/** How often the caller of a stream is authenticated again, in milliseconds. */
const CONFIRM_EVERY_MS = 500;

/** Cuts an answer that is a stream when the token of its caller is revoked or has expired. */
export function confirmStreams(fastify: FastifyInstance, authenticator: Authenticator): void {
  fastify.addHook('onSend', (request, { raw }, payload, done) => {
    if (request.principal && payload instanceof Readable && !raw.closed) {
      const confirm = () =>
        authenticator.confirmAccess(request).catch((error: unknown) => {
          if (error instanceof ProblemError) raw.destroy();
        });
      const timer = setInterval(() => void confirm(), CONFIRM_EVERY_MS).unref();
      raw.once('close', () => clearInterval(timer));
    }
    done(null, payload);
  });
}
