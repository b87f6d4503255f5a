import type { FastifyRequest } from 'fastify';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { readBody } from '@cxp/service-kit';
import type { FormFields } from '../questions/form-field';
import { parseForm } from './form-fields';

const MAX_BODY_BYTES = 64 * 1_024;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads the form that a browser sent.
 * @throws ProblemError 413 or 422 when it can't be read
 */
export async function readForm(request: FastifyRequest): Promise<FormFields> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  const [type = ''] = request.contentType.toLowerCase().split(';', 1);
  const fields = type.trim() === FORM ? parseForm(bytes) : undefined;
  if (fields) return fields;
  return rejectAsInvalid({ loc: ['body'], msg: `body must be ${FORM} in UTF-8`, type: 'form_invalid' });
}
