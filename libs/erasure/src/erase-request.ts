import { rejectAsInvalid, validationItems } from '@cxp/error-envelopes';
import { ApiValidationPipe, parseJson } from '@cxp/service-kit';
import { EraseRequest } from './erasure.dto';

/** Of the body of `POST /external/erasures`: bytes, and members and elements. */
export const BODY_LIMITS = { bytes: 256 * 1024, values: 500 };

const pipe = new ApiValidationPipe(validationItems);

/** Checks a request as the endpoint does. @throws ProblemError 422, which quotes no value of it */
export async function readEraseRequest(json: string | Uint8Array): Promise<EraseRequest> {
  const parsed = parseJson(json, 'body', BODY_LIMITS.values);
  if ('problem' in parsed) rejectAsInvalid({ loc: ['body'], ...parsed.problem });
  return (await pipe.transform(parsed.value, { type: 'body', metatype: EraseRequest })) as EraseRequest;
}
