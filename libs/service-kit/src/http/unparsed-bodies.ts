import type { FastifyInstance, FastifyRequest } from 'fastify';

const contentTypes = new WeakMap<object, string>();

/** The request's `content-type`, as sent. */
export function contentTypeOf(request: FastifyRequest): string | undefined {
  return contentTypes.get(request.raw);
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
