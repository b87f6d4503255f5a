import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's `content-type`, as sent. Set by `leaveBodiesUnparsed`. */
    contentType: string;
  }
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
    throw cutOff();
  } finally {
    raw.resume();
  }
}

/**
 * The whole body.
 * @throws ProblemError when it is larger than `mostBytes`, or the client goes away
 */
export function readBody({ raw, headers }: FastifyRequest, mostBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(new ProblemError({ code: 'body_too_large' }));
    if (Number(headers['content-length'] ?? 0) > mostBytes) tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > mostBytes) tooLarge();
      else chunks.push(chunk);
    });
    raw.once('end', () => resolve(Buffer.concat(chunks, length)));
    raw.once('error', () => reject(cutOff()));
    raw.once('close', () => raw.readableEnded || reject(cutOff()));
  });
}

function cutOff(): ProblemError {
  return new ProblemError({ code: 'request_malformed', status: 400, message: 'The body was cut off' });
}

/**
 * Leaves every body unread for the route, which reads it once the caller is known (`JsonBody`, record intake). Fastify
 * would parse it first and answer a bad body before a bad token. It also answers a malformed `content-type` itself,
 * so the header is put aside.
 */
export function leaveBodiesUnparsed(fastify: FastifyInstance): void {
  fastify.decorateRequest('contentType', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) {
      request.contentType = headers['content-type'];
      delete headers['content-type'];
    }
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
