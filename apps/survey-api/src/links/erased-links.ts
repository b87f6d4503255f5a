import { randomBytes } from 'node:crypto';
import { IS_OF_PERSON, isIdentifierOf, isNoNewData, type RecordKey, type Subject } from '@cxp/erasure';
import { identifierKeys, textsIn } from '@cxp/identifiers';
import { jsonColumn, pagesById, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { MetadataAssociation } from './link.dto';
import { KEY_OF_MANY_TEXTS, personKeysOfMapping } from './link.repository';

/** Limits of one read: links, and bytes of JSON after which no link is read. A link has up to 4 MiB. */
const LINKS_AT_ONCE = 4;
const BYTES_AT_ONCE = 2 * 1024 * 1024;

export const LINK_FIELD = /^link:(\d{1,18})\/(-?\d{1,16})$/;

function keysToFind({ phones, emails }: Subject): string[] {
  return [...identifierKeys(phones, emails), KEY_OF_MANY_TEXTS];
}

type Link = { readonly id: string; readonly mapping: readonly MetadataAssociation[] };

/**
 * After a restore, a new link can have the id of an erased one, so only links older than the request count. Instants are
 * rounded to milliseconds.
 */
const isNoNewLink = (requestedAt: string) =>
  isNoNewData(`${requestedAt}::timestamptz + interval '1 millisecond'`);

/** Ordered links up to the limits of one read. */
const fitting = (links: string) =>
  new Statement(
    {
      id: textColumn('link.id'),
      mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
    },
    (list) => `SELECT ${list} FROM (
       SELECT id, metadata_mapping, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM (
         SELECT id, metadata_mapping, octet_length(metadata_mapping::text) AS bytes FROM (${links}) AS first
       ) AS found
     ) AS link WHERE bytes_before < ${BYTES_AT_ONCE} ORDER BY link.id`,
  );

/** $2 keys of the subject, $3 when the erasure was requested, or null, $4 the id before the first. */
const FIND = fitting(
  `SELECT id, metadata_mapping FROM survey.link
   WHERE ${IS_OF_PERSON} AND ${isNoNewLink('$3')} AND id > $4::bigint ORDER BY id LIMIT ${LINKS_AT_ONCE}`,
);

const IS_WANTED = `organization_id = $1 AND id = ANY ($2::bigint[]) AND ${isNoNewLink('$3')}`;
const FIND_WANTED = fitting(
  `SELECT id, metadata_mapping FROM survey.link WHERE ${IS_WANTED} ORDER BY id LIMIT ${LINKS_AT_ONCE}`,
);
const EXISTING = new Statement(
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM survey.link WHERE ${IS_WANTED}`,
);

/** $2 links as a JSON array. No mapping leads to a link with a random key, so the original mapping makes a new link. */
const EMPTY = new Statement(
  {},
  `UPDATE survey.link
   SET name = '', metadata_mapping = emptied.mapping, mapping_key = decode(emptied.key, 'hex'), person_keys = emptied.person_keys
   FROM json_to_recordset($2) AS emptied (id bigint, mapping json, key text, person_keys text[])
   WHERE link.organization_id = $1 AND link.id = emptied.id`,
);

/** @param requestedAt later links are new; null: all links count */
export async function* findLinks(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  requestedAt: Date | null,
): AsyncGenerator<readonly RecordKey[]> {
  const keys = keysToFind(subject);
  const read = (after: string) => FIND.run(manager, [organizationId, keys, requestedAt, after]);
  for await (const links of pagesById('0', read)) yield links.flatMap((link) => fieldKeysOf(link, subject));
}

export async function eraseLinks(
  manager: EntityManager,
  organizationId: string,
  keys: readonly RecordKey[],
  requestedAt: Date,
): Promise<{ emptied: number; metadataValues: number; left: readonly RecordKey[] }> {
  const fields = new Map<string, Set<number>>();
  for (const { id } of keys) {
    const [, link, field] = LINK_FIELD.exec(id) ?? [];
    if (link !== undefined) fields.set(link, (fields.get(link) ?? new Set()).add(Number(field)));
  }
  if (fields.size === 0) return { emptied: 0, metadataValues: 0, left: [] };
  const values = [organizationId, [...fields.keys()], requestedAt] as const;
  const remaining = new Set((await EXISTING.run(manager, values)).map(({ id }) => id));
  const emptied: object[] = [];
  let metadataValues = 0;
  for (const { id, mapping } of await FIND_WANTED.run(manager, values)) {
    remaining.delete(id);
    const isMeant = ({ metadata_id, value }: MetadataAssociation) =>
      fields.get(id)!.has(metadata_id) && value !== null;
    const meant = mapping.filter(isMeant).length;
    if (meant === 0) continue;
    metadataValues += meant;
    const left = mapping.map((each) => (isMeant(each) ? { ...each, value: null } : each));
    const key = randomBytes(32).toString('hex');
    emptied.push({ id, mapping: left, key, person_keys: personKeysOfMapping(left) });
  }
  if (emptied.length > 0) await EMPTY.count(manager, [organizationId, JSON.stringify(emptied)]);
  return {
    emptied: emptied.length,
    metadataValues,
    left: keys.filter(({ id }) => remaining.has(LINK_FIELD.exec(id)?.[1] ?? '')),
  };
}

function fieldKeysOf({ id, mapping }: Link, subject: Subject): RecordKey[] {
  return mapping
    .filter(({ value }) => textsIn(value).some((text) => isIdentifierOf(subject, text)))
    .map(({ metadata_id }) => ({ type: 'metadata_value', id: `link:${id}/${metadata_id}` }));
}
