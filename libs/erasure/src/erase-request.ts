import { rejectAsInvalid, validationItems } from '@cxp/error-envelopes';
import { ApiValidationPipe, parseJson } from '@cxp/service-kit';
import { EraseRequest } from './erasure.dto';

/** Of `POST /external/erasures`. */
export const ERASURE_BODY = { jsonBytes: 256 * 1024, maxValues: 500 };

const pipe = new ApiValidationPipe(validationItems);

/** Checks a request as the endpoint does. @throws ProblemError 422, which quotes no value of it */
export async function readEraseRequest(json: string | Uint8Array): Promise<EraseRequest> {
  const parsed = parseJson(json, 'body', ERASURE_BODY.maxValues);
  if ('problem' in parsed) rejectAsInvalid({ loc: ['body'], ...parsed.problem });
  return (await pipe.transform(parsed.value, { type: 'body', metatype: EraseRequest })) as EraseRequest;
}
