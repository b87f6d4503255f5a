import { UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { parseJson } from '../json/parse-json';
import { readBody } from './request-bodies';

/**
 * Reads the request's JSON body when its turn has come: after authentication, permission and rate limit, so that who
 * may not call costs no parsing and learns nothing but that.
 * @param limitBytes the most a body may hold, else 413; what only escaping (`\u00e9` for `é`) adds does not count
 */
export function JsonBody(limitBytes: number, options: JsonBodyOptions = {}): MethodDecorator {
  return UseGuards(new JsonBodyReader(limitBytes, options));
}

export interface JsonBodyOptions {
  /** The most members and elements that it may hold, at any depth, else 422; by default 20,000. */
  readonly maxValues?: number;
}

/** How far escapes may blow up a body: `\ud83d\ude00` takes three times the bytes of the character it stands for. */
const MAX_ESCAPING_FACTOR = 3;

/** The last guard of its route. An interceptor would do, at a third of what a small POST costs in all. */
class JsonBodyReader implements CanActivate {
  constructor(
    private readonly limitBytes: number,
    private readonly options: JsonBodyOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.body = await readJson(request, this.limitBytes, this.options);
    return true;
  }
}

async function readJson(
  request: FastifyRequest,
  limitBytes: number,
  options: JsonBodyOptions,
): Promise<unknown> {
  const bytes = await readBody(request, limitBytes * MAX_ESCAPING_FACTOR);
  if (!/^application\/json *(;|$)/i.test(request.contentType)) {
    rejectAsInvalid({ loc: ['body'], msg: 'content-type must be application/json', type: 'content_type' });
  }
  if (bytes.length > limitBytes && leastBytes(bytes) > limitBytes)
    throw new ProblemError({ code: 'body_too_large' });
  const body = parseBody(bytes, options);
  if (bytes.length > limitBytes && Buffer.byteLength(JSON.stringify(body)) > limitBytes) {
    throw new ProblemError({ code: 'body_too_large' });
  }
  return body;
}

/** The fewest bytes that the characters of a body can take: an escape of six bytes stands for one byte or more. */
function leastBytes(bytes: Buffer): number {
  let escapes = 0;
  for (let i = bytes.indexOf('\\u'); i !== -1; i = bytes.indexOf('\\u', i + 2)) escapes++;
  return bytes.length - 5 * escapes;
}

/** @throws ProblemError 422 when it is no JSON in UTF-8, or holds more than JSON of a client may */
export function parseBody(bytes: Uint8Array, { maxValues }: JsonBodyOptions = {}): unknown {
  const parsed = parseJson(bytes, 'body', maxValues);
  if ('problem' in parsed) rejectAsInvalid({ loc: ['body'], ...parsed.problem });
  return parsed.value;
}
