import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import { pauseDeadline } from './request-deadline';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's `content-type`, as sent. Set by `deferBodyParsing`. */
    contentType: string;
  }
}

/**
 * The body's bytes as they arrive. If the reader stops, the rest is dropped: to destroy the request would close its connection,
 * and the client could not read the answer.
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
 * The whole body; a client that is slow has the time that a body may take.
 * @throws ProblemError when it is larger than `maxBytes`, or the client goes away
 */
export function readBody(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  return pauseDeadline(request, () => readAll(request, maxBytes));
}

function readAll({ raw, headers }: FastifyRequest, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(new ProblemError({ code: 'body_too_large' }));
    if (Number(headers['content-length'] ?? 0) > maxBytes) tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) tooLarge();
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
 * Leaves every body to its route, which reads it after the caller is authenticated (`JsonBody`, record intake). Fastify parses a
 * body before any guard runs, and so would answer a bad body before a bad token. It also answers a malformed `content-type`
 * itself: the header is moved to `request.contentType`.
 */
export function deferBodyParsing(fastify: FastifyInstance): void {
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
