import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { ReceivedBody, type BodyLimits } from './received-body';

/** A body that has more bytes counts as large. */
export const LARGE_BODY_BYTES = 256 * 1_024;

/**
 * Requests with large bodies that are in work at once: the largest, of 16 MiB, take 256 MiB. An organization may send five requests a second,
 * each of them large.
 */
const largeBodies = new ConcurrencyLimit({ perOrganization: 6, total: 16 });

/** How long a client may take to send a body, in milliseconds. */
const RECEIVE_MS = 30_000;

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;|$)/;

/**
 * Receives the bodies of routes that have one (`@JsonBody`, `@OtherBody`): after the caller is authenticated, and before guards run. One that
 * can't be received is refused when it is needed, after what guards refuse.
 */
export function receiveBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    // Fastify would answer 415 to a malformed type. A route that has a body refuses this one as any other that it does not take.
    if (!MEDIA_TYPE.test(headers['content-type'] ?? '*/*'))
      headers['content-type'] = 'application/octet-stream';
    done();
  });
  fastify.removeAllContentTypeParsers();
  // With `parseAs`, Fastify keeps each chunk by itself: a body in chunks of a byte takes a hundred times its size.
  fastify.addContentTypeParser('*', async (request: FastifyRequest) => {
    const limits = request.routeOptions.config.body;
    return limits && receiveBody(request, limits);
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    const { body: limits } = request.routeOptions.config;
    if (limits) request.body ??= new ReceivedBody(Buffer.alloc(0), '', limits);
    done();
  });
}

/** For a route of strangers: its handler receives the body itself, after its limit of calls. */
export async function receiveBody(request: FastifyRequest, limits: BodyLimits): Promise<ReceivedBody> {
  const type = request.headers['content-type'] ?? '';
  const receive = () => receiveBytes(request, limits);
  try {
    const { receiveMs = RECEIVE_MS } = limits;
    const bytes = await (request.raw.complete ? receive() : request.time.pausedFor(receive, receiveMs));
    return new ReceivedBody(bytes, type, limits);
  } catch (error) {
    if (error instanceof ProblemError) return new ReceivedBody(error, type, limits);
    throw error;
  }
}

async function receiveBytes(
  { raw, headers, principal, time }: FastifyRequest,
  { receivedBytes, limit }: BodyLimits,
): Promise<Buffer> {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    const msg = 'content-encoding must be identity: a body is not decompressed';
    rejectAsInvalid({ loc: ['body'], msg, type: 'content_encoding' });
  }
  const tooLarge = () => new ProblemError({ code: 'body_too_large', limit });
  if (Number(headers['content-length'] ?? 0) > receivedBytes) throw tooLarge();
  return readBody(raw, (length, before) => {
    if (length > receivedBytes) throw tooLarge();
    if (before > LARGE_BODY_BYTES || length <= LARGE_BODY_BYTES) return;
    time.signal.throwIfAborted();
    time.signal.addEventListener('abort', largeBodies.acquire(principal?.organizationId ?? ''));
  });
}

/**
 * The whole of a stream.
 * @param check is given its length, and that before the last chunk; throws to refuse it
 * @throws ProblemError 400 when it is cut off
 */
export function readBody(raw: Readable, check: (length: number, before: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One buffer that doubles: chunks may be single bytes.
    let body = Buffer.alloc(0);
    let length = 0;
    const receive = (chunk: Buffer) => {
      const start = length;
      length += chunk.length;
      try {
        check(length, start);
      } catch (error) {
        raw.off('data', receive).resume();
        body = Buffer.alloc(0);
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (length > body.length) body = Buffer.concat([body.subarray(0, start)], Math.max(length, 2 * start));
      chunk.copy(body, start);
    };
    const cut = () =>
      reject(new ProblemError({ code: 'request_malformed', status: 400, message: 'The body was cut off' }));
    // Of a request that was cut before, nothing more is reported.
    if (raw.destroyed) cut();
    raw.on('data', receive);
    raw.once('end', () => resolve(body.subarray(0, length)));
    raw.once('error', cut);
    raw.once('close', () => raw.readableEnded || cut());
  });
}
