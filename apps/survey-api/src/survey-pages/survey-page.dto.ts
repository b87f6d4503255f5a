import type { InvalidItem } from '@cxp/error-envelopes';
import { isJsonObject, type JsonObject } from '../responses/answers';

/** A submission as JSON. */
export interface SubmissionRequest {
  /** Sealed, as the page gave it. */
  readonly identifier: unknown;
  readonly answers: JsonObject;
}

export interface SubmissionResponse {
  /** Sealed, as it was sent. */
  readonly identifier: string;
}

/** @returns everything that is wrong with it, unless the request can be read */
export function parseSubmissionRequest(body: unknown): SubmissionRequest | InvalidItem[] {
  if (!isJsonObject(body)) {
    return [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }];
  }
  const { identifier, answers = {} } = body;
  const items: InvalidItem[] = [];
  if (identifier === undefined) {
    items.push({ loc: ['body', 'identifier'], msg: 'Field required', type: 'missing' });
  }
  if (!isJsonObject(answers)) {
    items.push({ loc: ['body', 'answers'], msg: 'Input should be a valid dictionary', type: 'dict_type' });
    return items;
  }
  return items.length > 0 ? items : { identifier, answers };
}
