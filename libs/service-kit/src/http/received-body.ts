import { AddRouteConfig } from '@cxp/auth-headers';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { parseJson } from '../json/parse-json';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of routes that have a body. */
    body?: BodyLimits;
  }
}

export interface BodyLimits {
  /** The most bytes that are received, else 413. */
  readonly receivedBytes: number;
  /** The most bytes of JSON: what only escapes (`\u00e9` for `é`) add does not count. Default: `receivedBytes`. */
  readonly jsonBytes?: number;
  /** The most members and elements of JSON, at any depth, else 422. Default: 20,000. */
  readonly maxValues?: number;
  /** A sentence that names the limit in the answer. */
  readonly limit?: string;
  /** How long a client may take to send it, in milliseconds, else 503. Default: 30 s. */
  readonly receiveMs?: number;
}

/** How far escapes may blow up a body: `\ud83d\ude00` takes three times the bytes of the character it stands for. */
const MAX_ESCAPING_FACTOR = 3;

/** The route has a body of JSON, of at most so many bytes: `@Body()` is its value. */
export function JsonBody(jsonBytes: number, limits: Pick<BodyLimits, 'maxValues'> = {}): MethodDecorator {
  return AddRouteConfig({
    body: { ...limits, jsonBytes, receivedBytes: jsonBytes * MAX_ESCAPING_FACTOR },
  });
}

/** The route has a body of another kind, of at most so many bytes: `request.body` is a `ReceivedBody`. */
export function OtherBody(
  receivedBytes: number,
  limits: Pick<BodyLimits, 'limit' | 'receiveMs'> = {},
): MethodDecorator {
  return AddRouteConfig({ body: { ...limits, receivedBytes } });
}

/**
 * A body as it was sent. Guards run before it is looked at, in whatever order: it is parsed once, when a guard or the pipe first needs it, and
 * refused then.
 */
export class ReceivedBody {
  private parsed: { readonly value: unknown } | undefined;

  /** @param sent its bytes, or why they were not received */
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

  /** @throws ProblemError as `bytes`, and 422 if it is not of this type */
  ofType(type: string): Buffer {
    const { bytes } = this;
    const [sent = ''] = this.contentType.split(';', 1);
    if (sent.trim().toLowerCase() !== type)
      rejectAsInvalid({ loc: ['body'], msg: `content-type must be ${type}`, type: 'content_type' });
    return bytes;
  }

  /** @throws ProblemError as `ofType`, and 422 if it is no JSON in UTF-8, or holds more values than it may */
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

/** The fewest bytes that the characters of a body can take: an escape of six bytes stands for one byte or more. */
function leastBytes(bytes: Buffer): number {
  let escapes = 0;
  for (let i = bytes.indexOf('\\u'); i !== -1; i = bytes.indexOf('\\u', i + 2)) escapes++;
  return bytes.length - 5 * escapes;
}
