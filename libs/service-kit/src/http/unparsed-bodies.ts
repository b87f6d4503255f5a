import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';

const contentTypes = new WeakMap<object, string>();

/** The request's `content-type`, as sent. */
export function contentTypeOf(request: FastifyRequest): string | undefined {
  return contentTypes.get(request.raw);
}

/**
 * The body's bytes as they come. Who stops reading leaves the rest to be passed over: a request that is destroyed takes
 * its connection along, and the client would not learn why.
 * @throws ProblemError when the client goes away
 */
export async function* bodyChunks({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new ProblemError({ code: 'request_malformed', status: 400, message: 'The body was cut off' });
  } finally {
    raw.resume();
  }
}

/**
 * Leaves every body unread for the route, which reads it once the caller is known (`JsonBody`, record intake). Fastify
 * would parse it first and answer a bad body before a bad token. It also answers a malformed `content-type` itself,
 * so the header is put aside.
 */
export function leaveBodiesUnparsed(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) {
      contentTypes.set(request.raw, headers['content-type']);
      delete headers['content-type'];
    }
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
