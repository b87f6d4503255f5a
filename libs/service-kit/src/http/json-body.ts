import {
  applyDecorators,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import type { Observable } from 'rxjs';
import { outsideDeadline } from './request-deadline';
import { bodyChunks, contentTypeOf } from './unparsed-bodies';

/**
 * Reads the request's JSON body when its turn has come: after authentication, permission and rate limit, so that who
 * may not call costs no parsing and learns nothing but that.
 * @param limitBytes the most a body may hold, else 413; what only escaping (`\u00e9` for `é`) adds does not count
 */
export function JsonBody(limitBytes: number): MethodDecorator {
  return applyDecorators(UseInterceptors(new JsonBodyInterceptor(limitBytes)));
}

/** How far escapes may blow up a body: `\ud83d\ude00` takes three times the bytes of the character it stands for. */
const MOST_ESCAPED = 3;

/** The longest that a client may take to send a body, in milliseconds; then its connection is cut. */
const BODY_TIMEOUT_MS = 30_000;

class JsonBodyInterceptor implements NestInterceptor {
  constructor(private readonly limitBytes: number) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.body = await readJson(request, this.limitBytes);
    return next.handle();
  }
}

async function readJson(request: FastifyRequest, limitBytes: number): Promise<unknown> {
  const bytes = await outsideDeadline(request, () => readAll(request, limitBytes * MOST_ESCAPED));
  if (!/^application\/json *(;|$)/i.test(contentTypeOf(request) ?? '')) {
    rejectAsInvalid({ loc: ['body'], msg: 'content-type must be application/json', type: 'content_type' });
  }
  const body = parseJson(bytes);
  if (bytes.length > limitBytes && unescapedLength(body) > limitBytes) {
    throw new ProblemError({ code: 'body_too_large' });
  }
  return body;
}

async function readAll(request: FastifyRequest, mostBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) {
    throw new ProblemError({ code: 'body_too_large' });
  }
  const tooSlow = setTimeout(() => request.raw.destroy(), BODY_TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of bodyChunks(request)) {
      length += chunk.length;
      if (length > mostBytes) throw new ProblemError({ code: 'body_too_large' });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  } finally {
    clearTimeout(tooSlow);
  }
}

function unescapedLength(body: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(body));
  } catch {
    return Infinity; // nested deeper than the stack
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return parse(utf8.decode(bytes), { protoAction: 'remove', constructorAction: 'remove' });
  } catch {
    rejectAsInvalid({ loc: ['body'], msg: 'body must be valid JSON in UTF-8', type: 'json_invalid' });
  }
}
