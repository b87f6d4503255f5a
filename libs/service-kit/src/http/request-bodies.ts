import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';

/** A body that has more bytes counts as large. */
export const LARGE_BODY_BYTES = 256 * 1_024;

/**
 * Large bodies that are received at once: the largest, of 16 MiB, take 256 MiB. An organization may send five requests a second, each of
 * them large.
 */
const largeBodies = new ConcurrencyLimit({ perOrganization: 6, total: 16 });

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's `content-type`, as sent. Set by `deferBodyParsing`. */
    contentType: string;
  }
}

/**
 * The whole body.
 * @throws ProblemError when it is encoded, larger than `maxBytes`, the client goes away, or too many large bodies are received
 * @param limit names the limit in the answer
 */
export async function readBody(request: FastifyRequest, maxBytes: number, limit?: string): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? '';
  if (!/^(identity)?$/i.test(encoding)) {
    const msg = 'content-encoding must be identity: a body is not decompressed';
    rejectAsInvalid({ loc: ['body'], msg, type: 'content_encoding' });
  }
  let release: (() => void) | undefined;
  const onLarge = () => {
    release = largeBodies.acquire(request.principal?.organizationId ?? '');
  };
  const read = () => readAll(request, maxBytes, limit, onLarge);
  try {
    return await (request.raw.complete ? read() : request.time.pausedFor(read));
  } finally {
    release?.();
  }
}

/** @param onLarge is called when a large body has begun, and may throw to refuse it */
function readAll(
  { raw, headers }: FastifyRequest,
  maxBytes: number,
  limit: string | undefined,
  onLarge: () => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One buffer that doubles: chunks may be single bytes, each of which would take a hundred and more.
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    const add = (chunk: Buffer) => {
      const start = length;
      length += chunk.length;
      if (length > maxBytes) throw new ProblemError({ code: 'body_too_large', limit });
      if (start <= LARGE_BODY_BYTES && length > LARGE_BODY_BYTES) onLarge();
      if (start === 0) body = chunk;
      else {
        if (length > body.length) body = Buffer.concat([body], Math.min(2 * length, maxBytes));
        chunk.copy(body, start);
      }
    };
    const refuse = (error: Error) => {
      raw.off('data', receive).resume();
      body = Buffer.alloc(0);
      reject(error);
    };
    const receive = (chunk: Buffer) => {
      try {
        add(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    };
    // Of a request that was cut before, nothing more is reported.
    if (raw.destroyed) reject(cutOff());
    raw.on('data', receive);
    if (Number(headers['content-length'] ?? 0) > maxBytes)
      refuse(new ProblemError({ code: 'body_too_large', limit }));
    raw.once('end', () => resolve(body.subarray(0, length)));
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
 * itself: the header is moved to `request.contentType`. A `QUERY` without one it refuses: it keeps one that is empty.
 */
export function deferBodyParsing(fastify: FastifyInstance): void {
  fastify.decorateRequest('contentType', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) {
      request.contentType = headers['content-type'];
      delete headers['content-type'];
    }
    if (request.method === 'QUERY') headers['content-type'] = 'application/octet-stream';
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
