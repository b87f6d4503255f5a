import { keyText } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import type { SurveyQuestion } from '../campaigns/survey-question';
import { erasedKeys } from '../responses/erased-keys';
import type { ResponseRecord } from '../responses/response-record';
import { anonymizedResponse } from './anonymized-response';

/** Keeps what was erased from coming back, within a transaction that has the organization's intake turn. */
export class ErasedResponses {
  private hasAny: Promise<boolean> | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the records that may be stored, those that were anonymized without what was erased */
  async keep(
    records: readonly ResponseRecord[],
    questions: ReadonlyMap<string, readonly SurveyQuestion[]>,
  ): Promise<readonly ResponseRecord[]> {
    const { manager, organizationId } = this;
    this.hasAny ??= erasedKeys.hasAny(manager, organizationId);
    if (!(await this.hasAny)) return records;
    const keyOf = ({ identifier }: ResponseRecord) => ({ type: 'survey_response', id: identifier });
    const modes = await erasedKeys.find(manager, organizationId, records.map(keyOf));
    return records.flatMap((record) => {
      const mode = modes.get(keyText(keyOf(record)));
      if (mode === 'delete') return [];
      return [mode ? anonymizedResponse(record, questions.get(record.survey_campaign_id) ?? []) : record];
    });
  }
}
