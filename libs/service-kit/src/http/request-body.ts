import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AddRouteConfig } from '@cxp/auth-headers';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ConcurrencyLimit, type ConcurrencyLimits } from '@cxp/rate-limit';
import { memoize } from '@cxp/storage';
import { parseJson } from '../json/parse-json';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyLimits;
  }
  interface FastifyInstance {
    heldBodies: HeldBodies;
  }
}

export interface BodyLimits {
  /** Received bytes; more is a 413. */
  readonly receivedBytes: number;
  /** Bytes of JSON without those that only escapes add (`\u00e9` for `é`). Default: `receivedBytes`. */
  readonly jsonBytes?: number;
  /** Members and elements of JSON, at any depth; more is a 422. Default: 20,000. */
  readonly maxValues?: number;
  /** Counts large bodies of an organization, from the first byte until the answer. */
  readonly largeAtOnce?: ConcurrencyLimits;
  readonly limit?: string;
  /** Milliseconds for sending the body; then 503. Default: 30 s. */
  readonly receiveMs?: number;
}

/** The most bytes in which JSON may be sent: `\ud83d\ude00` takes three times the bytes of its character. */
export const escapedBytes = (jsonBytes: number) => 3 * jsonBytes;

/** `@Body()` is the JSON value, by default of at most 64 KiB. */
export function JsonBody({
  jsonBytes = 64 * 1_024,
  ...limits
}: Pick<BodyLimits, 'jsonBytes' | 'maxValues' | 'largeAtOnce'> = {}): MethodDecorator {
  return AddRouteConfig({ body: { ...limits, jsonBytes, receivedBytes: escapedBytes(jsonBytes) } });
}

/** `request.body` is a `ReceivedBody`. */
export function OtherBody(
  receivedBytes: number,
  limits: Pick<BodyLimits, 'limit' | 'receiveMs'> = {},
): MethodDecorator {
  return AddRouteConfig({ body: { ...limits, receivedBytes } });
}

/** Parsed once, when a guard or the pipe first needs it, and refused only then. */
export class ReceivedBody {
  private parsed: { readonly value: unknown } | undefined;

  /** @param sent the bytes, or why they were not received */
  constructor(
    private readonly sent: Buffer | ProblemError,
    readonly contentType: string,
    private readonly limits: BodyLimits,
  ) {}

  /** @throws ProblemError 413 and the like */
  get bytes(): Buffer {
    if (this.sent instanceof ProblemError) throw this.sent;
    return this.sent;
  }

  /** @throws ProblemError like `bytes`, and 422 for another type */
  ofType(type: string): Buffer {
    const { bytes } = this;
    const [sent = ''] = this.contentType.split(';', 1);
    if (sent.trim().toLowerCase() !== type)
      rejectAsInvalid({ loc: ['body'], msg: `content-type must be ${type}`, type: 'content_type' });
    return bytes;
  }

  /** @throws ProblemError like `ofType`, and 422 for invalid JSON or UTF-8, or too many values */
  json(): unknown {
    this.parsed ??= { value: this.parse() };
    return this.parsed.value;
  }

  private parse(): unknown {
    const bytes = this.ofType('application/json');
    const { jsonBytes = Infinity, maxValues } = this.limits;
    if (bytes.length > jsonBytes && leastBytes(bytes) > jsonBytes)
      throw new ProblemError({ code: 'body_too_large' });
    const parsed = parseJson(bytes, 'body', maxValues);
    if ('problem' in parsed) rejectAsInvalid({ loc: ['body'], ...parsed.problem });
    const { value } = parsed;
    if (bytes.length > jsonBytes && Buffer.byteLength(JSON.stringify(value)) > jsonBytes) {
      throw new ProblemError({ code: 'body_too_large' });
    }
    return value;
  }
}

/** A lower bound of the unescaped bytes: an escape of six bytes stands for at least one. */
function leastBytes(bytes: Buffer): number {
  let escapes = 0;
  for (let i = bytes.indexOf('\\u'); i !== -1; i = bytes.indexOf('\\u', i + 2)) escapes++;
  return bytes.length - 5 * escapes;
}

export const LARGE_BODY_BYTES = 256 * 1_024;

const MIB = 1_024 * 1_024;

/** Bytes of bodies that are in memory, from the first byte until the answer: the first 256 KiB of each, and what comes after them. */
export const SMALL_BODIES = { perOrganization: 8 * MIB, total: 64 * MIB };
export const LARGE_BODIES = { perOrganization: 32 * MIB, total: 64 * MIB };

class HeldBodies {
  readonly small = new ConcurrencyLimit(SMALL_BODIES);
  readonly large = new ConcurrencyLimit(LARGE_BODIES);
  readonly largeAtOnce = memoize((limits: ConcurrencyLimits) => new ConcurrencyLimit(limits));
}

const RECEIVE_MS = 30_000;

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;|$)/;

/**
 * Receives bodies (`@JsonBody`, `@OtherBody`) after authentication and before guards. A failed one is refused when it is
 * needed, so that guards refuse first.
 */
export function receiveBodies(fastify: FastifyInstance): void {
  fastify.decorate('heldBodies', new HeldBodies());
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    // Fastify would answer 415 to a malformed type; our routes refuse it like any wrong type.
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

/** For public routes, whose handler reads the body after its rate limit. */
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
  request: FastifyRequest,
  { receivedBytes, largeAtOnce, limit }: BodyLimits,
): Promise<Buffer> {
  const { raw, headers, time, server } = request;
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    const msg = 'content-encoding must be identity: a body is not decompressed';
    rejectAsInvalid({ loc: ['body'], msg, type: 'content_encoding' });
  }
  const tooLarge = () => new ProblemError({ code: 'body_too_large', limit });
  const announced = Number(headers['content-length'] ?? receivedBytes);
  if (announced > receivedBytes) throw tooLarge();
  const hold = (bodies: ConcurrencyLimit, size: number) => {
    if (size === 0) return;
    time.signal.throwIfAborted();
    // A client's address is parsed each time.
    const { caller = `address:${request.clientAddress}` } = request;
    time.signal.addEventListener('abort', bodies.acquire(caller, size));
  };
  const small = (bytes: number) => Math.min(bytes, LARGE_BODY_BYTES);
  return readBody(raw, (length, taken) => {
    if (length > receivedBytes) throw tooLarge();
    // What is announced may never come.
    const bytes = Math.max(length, Math.min(2 * taken, announced));
    if (largeAtOnce && taken <= LARGE_BODY_BYTES && bytes > LARGE_BODY_BYTES)
      hold(server.heldBodies.largeAtOnce(largeAtOnce), 1);
    hold(server.heldBodies.small, small(bytes) - small(taken));
    hold(server.heldBodies.large, bytes - small(bytes) - (taken - small(taken)));
    return bytes;
  });
}

/**
 * @param grow is called when the length exceeds the allocated bytes; returns the new allocation, or throws to refuse
 * @throws ProblemError 400 when the stream is cut off
 */
export function readBody(raw: Readable, grow: (length: number, taken: number) => number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One buffer, because chunks may be single bytes.
    let body = Buffer.alloc(0);
    let length = 0;
    const receive = (chunk: Buffer) => {
      const start = length;
      length += chunk.length;
      try {
        if (length > body.length) body = Buffer.concat([body.subarray(0, start)], grow(length, body.length));
      } catch (error) {
        raw.off('data', receive).resume();
        body = Buffer.alloc(0);
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      chunk.copy(body, start);
    };
    const cut = () =>
      reject(new ProblemError({ code: 'request_malformed', status: 400, message: 'The body was cut off' }));
    // A request that was cut before reports nothing more.
    if (raw.destroyed) cut();
    raw.on('data', receive);
    raw.once('end', () => resolve(body.subarray(0, length)));
    raw.once('error', cut);
    raw.once('close', () => raw.readableEnded || cut());
  });
}
