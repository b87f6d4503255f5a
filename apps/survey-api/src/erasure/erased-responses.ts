import { keyText } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import type { QuestionsById } from '../campaigns/survey-question';
import { erasedKeys } from '../responses/erased-keys';
import type { ResponseRecord } from '../responses/response-fields';
import { anonymizedResponse } from './anonymized-response';

/** Keeps what was erased from coming back, within a transaction under the organization's lock. */
export class ErasedResponses {
  private hasAny: Promise<boolean> | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the records that may be stored, those that were anonymized without what was erased */
  async keep<Read extends { readonly data: ResponseRecord }>(
    records: readonly Read[],
    questions: ReadonlyMap<string, QuestionsById>,
  ): Promise<readonly Read[]> {
    const { manager, organizationId } = this;
    this.hasAny ??= erasedKeys.hasAny(manager, organizationId);
    if (records.length === 0 || !(await this.hasAny)) return records;
    const keyOf = ({ data }: Read) => ({ type: 'survey_response', id: data.identifier });
    const modes = await erasedKeys.find(manager, organizationId, records.map(keyOf));
    return records.flatMap((record) => {
      const mode = modes.get(keyText(keyOf(record)));
      if (mode === 'delete') return [];
      if (!mode) return [record];
      const { data } = record;
      return [{ ...record, data: anonymizedResponse(data, questions.get(data.survey_campaign_id)) }];
    });
  }
}
