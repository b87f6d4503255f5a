import type { FastifyRequest } from 'fastify';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { parseBody, readBody } from '@cxp/service-kit';
import type { FormFields } from '../questions/form-field';
import { parseForm } from './form-fields';

const MAX_BODY_BYTES = 64 * 1_024;

/** What a respondent's browser sent. */
type PageSubmission =
  { readonly kind: 'json'; readonly body: unknown } | { readonly kind: 'form'; readonly fields: FormFields };

/**
 * Reads the body of a post: a form, or JSON.
 * @throws ProblemError 413 or 422 when it can't be read
 */
export async function readSubmission(request: FastifyRequest): Promise<PageSubmission> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  const [type = ''] = request.contentType.toLowerCase().split(';', 1);
  switch (type.trim()) {
    case 'application/json':
      return { kind: 'json', body: parseBody(bytes) };
    case 'application/x-www-form-urlencoded': {
      const fields = parseForm(bytes);
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
