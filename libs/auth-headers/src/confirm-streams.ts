import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import type { Authenticator } from './authentication';

const CONFIRM_EVERY_MS = 500;

/** Cuts a stream when its caller's token is revoked or expires. */
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
