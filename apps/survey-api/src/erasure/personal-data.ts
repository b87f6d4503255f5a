import { ErasedKeys, keyText } from '@cxp/erasure';
import { identifierKeys } from '@cxp/identifiers';
import type { EntityManager } from 'typeorm';
import type { Answers, QuestionsById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import { type ResponseRecord, withoutPersonalFields } from '../responses/response-fields';
import { surveyDatabase } from '../database';

/** The identifiers of a response: its phone, its email, and each text or number in its metadata, which may be either. */
export function personKeysOfResponse(response: {
  readonly user_phone: string | null;
  readonly user_email: string | null;
  readonly metadata_mappings: unknown;
}): string[] {
  const texts = textsIn(response.metadata_mappings);
  return identifierKeys([response.user_phone, ...texts], [response.user_email, ...texts]);
}

/** The identifiers of a link: each text or number in its metadata. */
export function personKeysOfMapping(mapping: readonly { readonly value: unknown }[]): string[] {
  const texts = textsIn(mapping.map(({ value }) => value));
  return identifierKeys(texts, texts);
}

/** All texts in a JSON value, at any depth, and its numbers as texts: a number may be a phone. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A response without the data of its person: choices, scores and times stay. */
export function anonymizedResponse(
  response: ResponseRecord,
  questions: QuestionsById | undefined,
): ResponseRecord {
  return {
    ...withoutPersonalFields(response),
    answers: response.answers && withoutTexts(response.answers, questions ?? new Map()),
  };
}

/** An answer to a question that the campaign does not have may be a text. */
function withoutTexts(answers: Answers, questions: QuestionsById): Record<string, unknown> {
  const kept = Object.entries(answers).flatMap(([id, given]) => {
    const question = questions.get(id);
    const answer = question && QUESTION_KINDS[question.type].withoutTexts(question, given);
    return answer === undefined ? [] : [[id, answer] as const];
  });
  return Object.fromEntries(kept);
}

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

/** The keys of what was erased in area C. */
export const erasedKeys = new ErasedKeys(surveyDatabase.schema);
