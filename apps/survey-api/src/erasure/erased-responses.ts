import { keyText } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import type { QuestionsById } from '../campaigns/survey-question';
import { erasedKeys } from '../responses/erased-keys';
import type { ResponseRecord } from '../responses/response-fields';
import { anonymizedResponse } from './anonymized-response';

/**
 * Keeps what was erased from coming back, within a transaction under the organization's lock.
 * @returns the records that may be stored, those that were anonymized without what was erased
 */
export async function withoutErased<Read extends { readonly data: ResponseRecord }>(
  manager: EntityManager,
  organizationId: string,
  records: readonly Read[],
  questions: ReadonlyMap<string, QuestionsById>,
): Promise<readonly Read[]> {
  const keyOf = ({ data }: Read) => ({ type: 'survey_response', id: data.identifier });
  const modes = await erasedKeys.find(manager, organizationId, records.map(keyOf));
  if (modes.size === 0) return records;
  return records.flatMap((record) => {
    const mode = modes.get(keyText(keyOf(record)));
    if (mode === 'delete') return [];
    if (!mode) return [record];
    const { data } = record;
    return [{ ...record, data: anonymizedResponse(data, questions.get(data.survey_campaign_id)) }];
  });
}
