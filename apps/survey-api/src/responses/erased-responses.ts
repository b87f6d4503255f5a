import {
  type Found,
  IS_OF_PERSON,
  isIdentifierOf,
  type RecordKey,
  type RunningErasure,
  type Subject,
} from '@cxp/erasure';
import { comparableEmail, comparablePhone, keysToFind, textsIn } from '@cxp/identifiers';
import {
  inPiecesOfBytes,
  numberColumn,
  pagesById,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  withPauses,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../json';
import { FieldNames, MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { responseColumns, MICROSECONDS, RESPONSE_FIELDS, type ResponseRecord } from './response-fields';
import { ResponseRepository } from './response.repository';

/** Limits of a step, which holds the organization's lock, and of one read of a dry run. */
const AT_ONCE = { rows: 500, bytes: 1024 * 1024 };
const COUNTED_AT_ONCE = { rows: 5_000, bytes: 4 * 1024 * 1024 };

/** Responses that a dry run finds by one statement, which looks at all that hold the identifier, before it reads them. */
const FOUND_AT_ONCE = 100_000;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The key of a metadata field is the response's identifier, "/" and the id of the field; without an id, of all that is no field. */
const METADATA_VALUE = 'metadata_value';

/** The keys of responses, and those of their metadata fields. "0" is the character after "/". */
const ERASED = new Statement(
  { organizationId: 'text', identifiers: 'text[]' },
  { id: textColumn('erased.id'), erasedAt: timeColumn('erased.erased_at') },
  (list) => `SELECT ${list} FROM unnest($identifiers) AS wanted (id) CROSS JOIN LATERAL (
     SELECT id, erased_at FROM survey.erased_key WHERE organization_id = $organizationId AND type = 'survey_response' AND id = wanted.id
     UNION ALL
     SELECT id, erased_at FROM survey.erased_key
     WHERE organization_id = $organizationId AND type = '${METADATA_VALUE}' AND id >= wanted.id || '/' AND id < wanted.id || '0'
   ) AS erased
   WHERE EXISTS (SELECT FROM survey.erased_key WHERE organization_id = $organizationId)`,
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
  const erased = await ERASED.run(manager, {
    organizationId,
    identifiers: responses.map(({ data }) => data.identifier),
  });
  if (erased.length === 0) return responses;
  const keys = new Map(erased.map(({ id, erasedAt }) => [id, erasedAt]));
  const emptied = new Set(erased.map(({ id }) => id.slice(0, BEFORE_ALL.length)));
  const names = await new MetadataFieldRepository(manager).names(organizationId);
  return responses.flatMap((response) => {
    const { data } = response;
    if (keys.has(data.identifier)) return [];
    if (!emptied.has(data.identifier) || !data.metadata_mappings) return [response];
    const metadata_mappings = withoutMembers(data.metadata_mappings, (name) => {
      if (names.idsOf(name).some((id) => keys.has(`${data.identifier}/${id}`))) return 'null';
      const othersErasedAt = keys.get(`${data.identifier}/`);
      // A younger variable was no field when the members that were none were erased.
      const since = names.variableSince(name);
      if (!othersErasedAt || (since && since < othersErasedAt)) return 'kept';
      return !since && MAY_BE_IDENTIFIER.test(name) ? 'gone' : 'null';
    });
    return [{ ...response, data: { ...data, metadata_mappings } }];
  });
}

/** Nobody knows erased identifiers any more. */
const MAY_BE_IDENTIFIER = /@|\p{Number}.*\p{Number}.*\p{Number}/su;

function withoutMembers(
  metadata: JsonObject,
  outcomeOf: (name: string) => 'kept' | 'null' | 'gone',
): JsonObject {
  const members = Object.entries(metadata).flatMap(([name, value]) => {
    const outcome = outcomeOf(name);
    return outcome === 'gone' ? [] : [[name, outcome === 'null' ? null : value]];
  });
  return Object.fromEntries(members) as JsonObject;
}

const FIND = new Statement(
  { organizationId: 'text', personKeys: 'text[]', after: 'uuid', limit: 'integer' },
  { id: textColumn('identifier'), bytes: numberColumn('bytes') },
  (list) => `SELECT ${list} FROM survey.response
   WHERE ${IS_OF_PERSON} AND identifier > $after ORDER BY response.identifier LIMIT $limit`,
);

const WANTED = `unnest($identifiers) AS wanted (identifier) CROSS JOIN LATERAL (
     SELECT * FROM survey.response WHERE organization_id = $organizationId AND identifier = wanted.identifier OFFSET 0
   ) AS response`;

const { user_phone, user_email, metadata_mappings: metadata } = RESPONSE_FIELDS;
const READ_PERSON = new Statement(
  { organizationId: 'text', identifiers: 'uuid[]' },
  responseColumns({ user_phone, user_email, metadata_mappings: metadata }, 'response'),
  (list) => `SELECT ${list} FROM ${WANTED}`,
);
const READ = new Statement(
  { organizationId: 'text', identifiers: 'uuid[]' },
  {
    survey_campaign_id: textColumn('response.campaign_id'),
    ...Object.fromEntries(MICROSECONDS.map((column) => [column, numberColumn(column)])),
    ...responseColumns(RESPONSE_FIELDS, 'response'),
  },
  (list) => `SELECT ${list} FROM ${WANTED}`,
);

export async function* countResponses(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
): AsyncGenerator<Found> {
  const read = (after: string) => find(manager, organizationId, subject, after, FOUND_AT_ONCE);
  for await (const found of pagesById(BEFORE_ALL, read)) {
    for (const some of inPiecesOfBytes(found, COUNTED_AT_ONCE)) {
      const rows = await READ_PERSON.run(manager, { organizationId, identifiers: some.map(({ id }) => id) });
      const { own, others } = await holding(rows, subject);
      yield { responses: own.length, metadataValues: countOf(others) };
    }
  }
}

/** @param after the last response of the step before @returns undefined if there is none */
export async function eraseResponses(
  manager: EntityManager,
  { organizationId, subject }: RunningErasure,
  after = BEFORE_ALL,
) {
  const found = await find(manager, organizationId, subject, after, AT_ONCE.rows);
  const [some] = inPiecesOfBytes(found, AT_ONCE);
  if (!some) return undefined;
  const rows = await READ.run(manager, { organizationId, identifiers: some.map(({ id }) => id) });
  const { own, others } = await holding(rows, subject);
  const repository = new ResponseRepository(manager);
  await repository.removeAll(organizationId, own, 'erased');
  const names = await new MetadataFieldRepository(manager).names(organizationId);
  await repository.storeAll(
    organizationId,
    others.map(({ row, members }) => {
      // Times as text, as records have them.
      const response = JSON.parse(JSON.stringify(row)) as ResponseRecord;
      const outcomeOf = (name: string) => {
        if (!members.has(name)) return 'kept';
        return isIdentifierOf(subject, name) ? 'gone' : 'null';
      };
      return { ...response, metadata_mappings: withoutMembers(response.metadata_mappings!, outcomeOf) };
    }),
  );
  return {
    found: { responses: own.length, metadataValues: countOf(others) },
    keys: [
      ...own.map((id) => ({ type: 'survey_response', id })),
      ...others.flatMap((each) => keysOf(each, names)),
    ],
    last: some.at(-1)!.id,
  };
}

function find(
  manager: EntityManager,
  organizationId: string,
  { phones, emails }: Subject,
  after: string,
  limit: number,
) {
  return FIND.run(manager, { organizationId, personKeys: keysToFind(phones, emails), after, limit });
}

type Person = RowOf<ReturnType<typeof responseColumns<'user_phone' | 'user_email' | 'metadata_mappings'>>>;

/** Somebody else's response, and the names of the members of its metadata that hold an identifier. */
interface Holding<Row> {
  readonly row: Row;
  readonly members: ReadonlySet<string>;
}

/**
 * The responses of the person: with one of the identifiers as phone or email, or with neither and an identifier in the metadata; and
 * others that hold one.
 */
async function holding<Row extends Person>(
  rows: readonly Row[],
  subject: Subject,
): Promise<{ readonly own: readonly string[]; readonly others: readonly Holding<Row>[] }> {
  const own: string[] = [];
  const others: Holding<Row>[] = [];
  for await (const row of withPauses(rows)) {
    const phone = comparablePhone(row.user_phone ?? '');
    const email = comparableEmail(row.user_email ?? '');
    if (subject.phones.includes(phone) || subject.emails.includes(email)) {
      own.push(row.identifier);
      continue;
    }
    const isIdentifier = (text: string) => isIdentifierOf(subject, text);
    const held = Object.entries(row.metadata_mappings ?? {}).filter((member) =>
      textsIn(Object.fromEntries([member])).some(isIdentifier),
    );
    if (held.length === 0) continue;
    if (phone === '' && email === '') own.push(row.identifier);
    else others.push({ row, members: new Set(held.map(([name]) => name)) });
  }
  return { own, others };
}

function countOf(others: readonly { readonly members: ReadonlySet<string> }[]): number {
  return others.reduce((sum, { members }) => sum + members.size, 0);
}

function keysOf({ row, members }: Holding<Person>, names: FieldNames): RecordKey[] {
  const ids = [...members].flatMap((name): readonly (number | '')[] => {
    const own = names.idsOf(name);
    return own.length > 0 ? own : [''];
  });
  return [...new Set(ids)].map((id) => ({ type: METADATA_VALUE, id: `${row.identifier}/${id}` }));
}
