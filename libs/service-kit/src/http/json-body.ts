import { UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { whileReceiving } from './request-deadline';
import { readBody } from './unparsed-bodies';

/**
 * Reads the request's JSON body when its turn has come: after authentication, permission and rate limit, so that who
 * may not call costs no parsing and learns nothing but that.
 * @param limitBytes the most a body may hold, else 413; what only escaping (`\u00e9` for `é`) adds does not count
 */
export function JsonBody(limitBytes: number): MethodDecorator {
  return UseGuards(new JsonBodyReader(limitBytes));
}

/** How far escapes may blow up a body: `\ud83d\ude00` takes three times the bytes of the character it stands for. */
const MOST_ESCAPED = 3;

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
  const bytes = await whileReceiving(request, () => readBody(request, limitBytes * MOST_ESCAPED));
  if (!/^application\/json *(;|$)/i.test(request.contentType)) {
    rejectAsInvalid({ loc: ['body'], msg: 'content-type must be application/json', type: 'content_type' });
  }
  const body = parseJson(bytes);
  if (bytes.length > limitBytes && unescapedLength(body) > limitBytes) {
    throw new ProblemError({ code: 'body_too_large' });
  }
  return body;
}

function unescapedLength(body: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(body));
  } catch {
    return Infinity; // nested deeper than the stack
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A member of this name, however it is escaped, is left out: class-transformer would take it for the object's class. */
const CONSTRUCTOR = 'constructor';
const MAY_NAME_CONSTRUCTOR = /"constructor"|\\u00/i;

function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    const withoutConstructor = (name: string, value: unknown) => (name === CONSTRUCTOR ? undefined : value);
    return parse(text, MAY_NAME_CONSTRUCTOR.test(text) ? withoutConstructor : null, {
      protoAction: 'remove',
    });
  } catch {
    rejectAsInvalid({ loc: ['body'], msg: 'body must be valid JSON in UTF-8', type: 'json_invalid' });
  }
}
