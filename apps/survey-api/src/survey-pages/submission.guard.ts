import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { retryAfterSeconds } from '@cxp/rate-limit';
import { parseBody, readBody } from '@cxp/service-kit';
import { parseForm, type FormFields } from './form-fields';
import { PostLimiter } from './post-limiter';

const MAX_BODY_BYTES = 64 * 1_024;

/** What a respondent's browser sent. */
export type PageSubmission =
  | { readonly kind: 'json'; readonly body: unknown }
  /** A form that comes too often is shown again, with what was typed. */
  | { readonly kind: 'form'; readonly fields: FormFields; readonly retryAfterSeconds?: number };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `SubmissionGuard`. */
    submission?: PageSubmission;
  }
}

/** Counts a post, and reads its body: a form, or JSON. */
@Injectable()
export class SubmissionGuard implements CanActivate {
  constructor(private readonly limiter: PostLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { publicId: string } }>>();
    const verdict = await this.limiter.count(request.ip, request.params.publicId);
    request.submission = verdict.allowed
      ? await readSubmission(request)
      : await readRefused(request, retryAfterSeconds(verdict));
    return true;
  }
}

/** @throws ProblemError 413 or 422 when it can't be read */
async function readSubmission(request: FastifyRequest): Promise<PageSubmission> {
  return parseSubmission(request.contentType, await readBody(request, MAX_BODY_BYTES));
}

/** @throws ProblemError 429 unless it is a form that can be shown again */
async function readRefused(request: FastifyRequest, wait: number): Promise<PageSubmission> {
  const submission = await readSubmission(request).catch(() => undefined);
  if (submission?.kind === 'form') return { ...submission, retryAfterSeconds: wait };
  throw new ProblemError({ code: 'rate_limited', retryAfterSeconds: wait });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseSubmission(contentType: string, bytes: Buffer): PageSubmission {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  switch (type.trim()) {
    case 'application/json':
      return { kind: 'json', body: parseBody(bytes) };
    case 'application/x-www-form-urlencoded': {
      const fields = parseUtf8Form(bytes);
      if (fields) return { kind: 'form', fields };
      return rejectAsInvalid({ loc: ['body'], msg: 'body must be a form in UTF-8', type: 'form_invalid' });
    }
    default:
      return rejectAsInvalid({
        loc: ['body'],
        msg: 'content-type must be application/json or application/x-www-form-urlencoded',
        type: 'content_type',
      });
  }
}

function parseUtf8Form(bytes: Buffer): FormFields | undefined {
  try {
    return parseForm(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
