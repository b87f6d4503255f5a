import type { InvalidItem } from '@cxp/error-envelopes';
import { isJsonObject, type JsonObject } from '../responses/answers';
import { SUBMISSION_STATES, type SubmissionState } from '../submissions/submission';

/** A submission as JSON. */
export interface SubmissionRequest {
  /** Sealed, as the page gave it. */
  readonly identifier: unknown;
  readonly state: SubmissionState;
  readonly answers: JsonObject;
}

export interface SubmissionResponse {
  readonly identifier: string;
  readonly state: SubmissionState;
}

/** @returns everything that is wrong with it, unless the request can be read */
export function parseSubmissionRequest(body: unknown): SubmissionRequest | InvalidItem[] {
  if (!isJsonObject(body)) {
    return [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }];
  }
  const { identifier, state, answers = {} } = body;
  const items: InvalidItem[] = [];
  const known = SUBMISSION_STATES.find((one) => one === state);
  if (state === undefined) items.push({ loc: ['body', 'state'], msg: 'Field required', type: 'missing' });
  else if (!known) {
    items.push({
      loc: ['body', 'state'],
      msg: `Input should be one of: ${SUBMISSION_STATES.join(', ')}`,
      type: 'enum',
    });
  }
  if (identifier === undefined) {
    items.push({ loc: ['body', 'identifier'], msg: 'Field required', type: 'missing' });
  }
  if (!isJsonObject(answers)) {
    items.push({ loc: ['body', 'answers'], msg: 'Input should be a valid dictionary', type: 'dict_type' });
  }
  return items.length > 0 || !known || !isJsonObject(answers) ? items : { identifier, state: known, answers };
}
