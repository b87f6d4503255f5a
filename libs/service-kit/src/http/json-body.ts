import { UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { hasTooManyParts, isNestedTooDeeply, MAX_JSON_DEPTH, MAX_JSON_PARTS } from '../json/json-depth';
import { readBody } from './request-bodies';

/**
 * Reads the request's JSON body when its turn has come: after authentication, permission and rate limit, so that who
 * may not call costs no parsing and learns nothing but that.
 * @param limitBytes the most a body may hold, else 413; what only escaping (`\u00e9` for `é`) adds does not count
 */
export function JsonBody(limitBytes: number): MethodDecorator {
  return UseGuards(new JsonBodyReader(limitBytes));
}

/** How far escapes may blow up a body: `\ud83d\ude00` takes three times the bytes of the character it stands for. */
const MAX_ESCAPING_FACTOR = 3;

/** The last guard of its route. An interceptor would do, at a third of what a small POST costs in all. */
class JsonBodyReader implements CanActivate {
  constructor(private readonly limitBytes: number) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.body = await readJson(request, this.limitBytes);
    return true;
  }
}

async function readJson(request: FastifyRequest, limitBytes: number): Promise<unknown> {
  const bytes = await readBody(request, limitBytes * MAX_ESCAPING_FACTOR);
  if (!/^application\/json *(;|$)/i.test(request.contentType)) {
    rejectAsInvalid({ loc: ['body'], msg: 'content-type must be application/json', type: 'content_type' });
  }
  if (bytes.length > limitBytes && leastBytes(bytes) > limitBytes)
    throw new ProblemError({ code: 'body_too_large' });
  const body = parseJson(bytes);
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

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A member of this name, however it is escaped, is left out: class-transformer would take it for the object's class. */
const CONSTRUCTOR = 'constructor';
const MAY_NAME_CONSTRUCTOR = /"constructor"|\\u00/i;

/** @throws ProblemError 422 when it is no JSON in UTF-8 */
export function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  if (isNestedTooDeeply(text)) {
    const msg = `body must not be nested deeper than ${MAX_JSON_DEPTH} levels`;
    rejectAsInvalid({ loc: ['body'], msg, type: 'recursion_loop' });
  }
  if (hasTooManyParts(text)) {
    const msg = `body must not hold more than ${MAX_JSON_PARTS} lists, dictionaries and members`;
    rejectAsInvalid({ loc: ['body'], msg, type: 'too_long' });
  }
  const withoutConstructor = (name: string, value: unknown) => (name === CONSTRUCTOR ? undefined : value);
  try {
    return parse(text, MAY_NAME_CONSTRUCTOR.test(text) ? withoutConstructor : null, {
      protoAction: 'remove',
    });
  } catch {
    rejectAsMalformed();
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    rejectAsMalformed();
  }
}

function rejectAsMalformed(): never {
  rejectAsInvalid({ loc: ['body'], msg: 'body must be valid JSON in UTF-8', type: 'json_invalid' });
}
