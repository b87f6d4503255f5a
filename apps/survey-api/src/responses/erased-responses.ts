import { IS_OF_PERSON, isIdentifierOf, type RecordKey, type Subject } from '@cxp/erasure';
import {
  comparableEmail,
  comparablePhone,
  identifierKeys,
  MAX_IDENTIFIER_LENGTH,
  textsIn,
} from '@cxp/identifiers';
import { inPieces, nullable, numberColumn, pagesById, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../campaigns/survey-question';
import { responseColumns, MICROSECONDS, RESPONSE_FIELDS, type ResponseRecord } from './response-fields';
import { ResponseRepository } from './response.repository';

const RESPONSES_PER_STEP = 500;

/** Limits a read of whole responses. */
const WHOLE_RESPONSES_AT_ONCE = 40;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The key of a metadata field; an empty variable means all metadata of the response. */
export const RESPONSE_FIELD = /^response:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(.*)$/s;

/** $2 keys of responses and of their metadata fields. "0" is the character after "/". */
const ERASED = new Statement(
  { type: textColumn('erased.type'), id: textColumn('erased.id') },
  (list) => `SELECT ${list} FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
     SELECT type, id FROM survey.erased_key WHERE organization_id = $1 AND type = 'survey_response' AND id = wanted.id
     UNION ALL
     SELECT type, id FROM survey.erased_key
     WHERE organization_id = $1 AND type = 'metadata_value'
       AND id >= 'response:' || wanted.id || '/' AND id < 'response:' || wanted.id || '0'
   ) AS erased
   WHERE EXISTS (SELECT FROM survey.erased_key WHERE organization_id = $1)`,
);

/**
 * Keeps erased data from returning. The caller's transaction holds the organization's lock.
 * @returns the responses to store, without their erased metadata fields
 */
export async function withoutErased<Read extends { readonly data: ResponseRecord }>(
  manager: EntityManager,
  organizationId: string,
  responses: readonly Read[],
): Promise<readonly Read[]> {
  const erased = await ERASED.run(manager, [organizationId, responses.map(({ data }) => data.identifier)]);
  if (erased.length === 0) return responses;
  const deleted = new Set(erased.filter(({ type }) => type === 'survey_response').map(({ id }) => id));
  const fields = fieldsOfKeys(erased);
  return responses.flatMap((response) => {
    const { data } = response;
    if (deleted.has(data.identifier)) return [];
    const emptied = fields.get(data.identifier);
    return emptied ? [{ ...response, data: withoutFields(data, emptied) }] : [response];
  });
}

/** $2 keys of the subject, $3 limit, $4 the identifier before the first. */
const FIND = new Statement(
  {
    id: textColumn('identifier'),
    phone: nullable(textColumn('user_phone')),
    email: nullable(textColumn('user_email')),
  },
  (list) => `SELECT ${list} FROM survey.response
   WHERE ${IS_OF_PERSON} AND identifier > $4::uuid ORDER BY response.identifier LIMIT $3`,
);

const RESPONSES = new Statement(
  {
    survey_campaign_id: textColumn('response.campaign_id'),
    ...Object.fromEntries(MICROSECONDS.map((column) => [column, numberColumn(column)])),
    ...responseColumns(RESPONSE_FIELDS, 'response'),
  },
  (list) =>
    `SELECT ${list} FROM survey.response WHERE organization_id = $1 AND identifier = ANY ($2::uuid[])`,
);

/**
 * Those with one of the identifiers as phone or email, or with neither and an identifier in the metadata; of the others the metadata
 * fields.
 */
export async function* findResponses(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
): AsyncGenerator<readonly RecordKey[]> {
  const keys = identifierKeys(subject.phones, subject.emails);
  const read = (after: string) => FIND.run(manager, [organizationId, keys, RESPONSES_PER_STEP, after]);
  for await (const found of pagesById(BEFORE_ALL, read)) {
    const own = found.filter((response) => isOwn(response, subject));
    yield own.map(({ id }) => ({ type: 'survey_response', id }));
    const others = found.filter((response) => !own.includes(response)).map(({ id }) => id);
    for (const some of inPieces(others, WHOLE_RESPONSES_AT_ONCE))
      yield await fieldKeysOf(manager, organizationId, subject, some);
  }
}

function isOwn(
  { phone, email }: { readonly phone: string | null; readonly email: string | null },
  { phones, emails }: Subject,
): boolean {
  const [comparedPhone, comparedEmail] = [comparablePhone(phone ?? ''), comparableEmail(email ?? '')];
  const isAnonymous = comparedPhone === '' && comparedEmail === '';
  return isAnonymous || phones.includes(comparedPhone) || emails.includes(comparedEmail);
}

export async function eraseResponses(
  manager: EntityManager,
  organizationId: string,
  keys: readonly RecordKey[],
): Promise<{ deleted: number; metadataValues: number; left: readonly RecordKey[] }> {
  const repository = new ResponseRepository(manager);
  const own = keys.filter(({ type }) => type === 'survey_response').map(({ id }) => id);
  const deleted = await repository.removeAll(organizationId, own, 'erased');
  const fields = fieldsOfKeys(keys);
  const others = [...fields.keys()].slice(0, WHOLE_RESPONSES_AT_ONCE);
  const found = others.length > 0 ? await RESPONSES.run(manager, [organizationId, others]) : [];
  const emptied = found.map((row) => {
    const response = JSON.parse(JSON.stringify(row)) as ResponseRecord;
    return withoutFields(response, fields.get(response.identifier)!);
  });
  await repository.storeAll(organizationId, emptied);
  const metadataValues = found.reduce((sum, { identifier }) => sum + fields.get(identifier)!.size, 0);
  const isDone = new Set(others);
  return {
    deleted: deleted.length,
    metadataValues,
    left: keys.filter(({ id }) => RESPONSE_FIELD.test(id) && !isDone.has(RESPONSE_FIELD.exec(id)![1]!)),
  };
}

async function fieldKeysOf(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  identifiers: readonly string[],
): Promise<RecordKey[]> {
  const found = await RESPONSES.run(manager, [organizationId, identifiers]);
  return found.flatMap(({ identifier, metadata_mappings: metadata }) =>
    fieldsOf(metadata ?? {}, subject).map((variable) => ({
      type: 'metadata_value',
      id: `response:${identifier}/${variable}`,
    })),
  );
}

/**
 * Returns the empty variable for all metadata if a variable is an identifier itself (a key must not hold one) or too long for a
 * key.
 */
function fieldsOf(metadata: JsonObject, subject: Subject): string[] {
  const isIdentifier = (text: string) => isIdentifierOf(subject, text);
  const variables = Object.entries(metadata)
    .filter(([variable, value]) => isIdentifier(variable) || textsIn(value).some(isIdentifier))
    .map(([variable]) => variable);
  const isNoKey = (variable: string) =>
    isIdentifier(variable) || [...variable].length > MAX_IDENTIFIER_LENGTH;
  return variables.some(isNoKey) ? [''] : variables;
}

function fieldsOfKeys(keys: readonly RecordKey[]): Map<string, Set<string>> {
  const fields = new Map<string, Set<string>>();
  for (const { id } of keys) {
    const [, identifier, variable] = RESPONSE_FIELD.exec(id) ?? [];
    if (identifier === undefined || variable === undefined) continue;
    fields.set(identifier, (fields.get(identifier) ?? new Set()).add(variable));
  }
  return fields;
}

function withoutFields(response: ResponseRecord, variables: ReadonlySet<string>): ResponseRecord {
  const { metadata_mappings: metadata } = response;
  if (!metadata || variables.has('')) return { ...response, metadata_mappings: null };
  const emptied = Object.entries(metadata).map(([variable, value]) => [
    variable,
    variables.has(variable) ? null : value,
  ]);
  return { ...response, metadata_mappings: Object.fromEntries(emptied) as JsonObject };
}
