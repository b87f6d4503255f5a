import { randomBytes } from 'node:crypto';
import {
  type Found,
  IS_OF_PERSON,
  isIdentifierOf,
  isNoNewData,
  type RunningErasure,
  type Subject,
} from '@cxp/erasure';
import { keysToFind, textsIn } from '@cxp/identifiers';
import {
  inPiecesOfBytes,
  jsonColumn,
  numberColumn,
  pagesById,
  Statement,
  textColumn,
  withPauses,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { MetadataAssociation } from './link.dto';
import { personKeysOfMapping } from './link.repository';

/** Limits of a step, and of one read of a dry run. A link has up to 4 MiB. */
const AT_ONCE = { rows: 500, bytes: 2 * 1024 * 1024 };

/** Links that a dry run finds by one statement, before it reads them. */
const FOUND_AT_ONCE = 100_000;

/**
 * Links that are made after the erasure was requested are new. Instants are rounded to milliseconds.
 */
const FIND = new Statement(
  {
    organizationId: 'text',
    personKeys: 'text[]',
    requestedAt: 'timestamptz | null',
    after: 'bigint',
    limit: 'integer',
  },
  { id: textColumn('id'), bytes: numberColumn('mapping_bytes') },
  (list) => `SELECT ${list} FROM survey.link
   WHERE ${IS_OF_PERSON} AND ${isNoNewData(`$requestedAt + interval '1 millisecond'`)} AND id > $after
   ORDER BY link.id LIMIT $limit`,
);

const READ = new Statement(
  { organizationId: 'text', ids: 'bigint[]' },
  { id: textColumn('link.id'), mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping') },
  (list) => `SELECT ${list} FROM unnest($ids) AS wanted (id) CROSS JOIN LATERAL (
     SELECT id, metadata_mapping FROM survey.link WHERE organization_id = $organizationId AND id = wanted.id OFFSET 0
   ) AS link`,
);

/** No mapping leads to a link with a random key, so the original mapping makes a new link. */
const EMPTY = new Statement(
  { organizationId: 'text', links: 'json' },
  {},
  `UPDATE survey.link
   SET name = '', metadata_mapping = emptied.mapping, mapping_key = decode(emptied.key, 'hex'), person_keys = emptied.person_keys
   FROM json_to_recordset($links) AS emptied (id bigint, mapping json, key text, person_keys text[])
   WHERE link.organization_id = $organizationId AND link.id = emptied.id`,
);

export async function* countLinks(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
): AsyncGenerator<Found> {
  const read = (after: string) =>
    FIND.run(manager, {
      organizationId,
      personKeys: keysToFind(subject.phones, subject.emails),
      requestedAt: null,
      after,
      limit: FOUND_AT_ONCE,
    });
  for await (const found of pagesById('0', read)) {
    for (const some of inPiecesOfBytes(found, AT_ONCE))
      yield foundIn(await holding(manager, organizationId, subject, some));
  }
}

/** @param after the last link of the step before @returns undefined if there is none */
export async function eraseLinks(
  manager: EntityManager,
  { organizationId, subject, requestedAt }: RunningErasure,
  after = '0',
) {
  const personKeys = keysToFind(subject.phones, subject.emails);
  const found = await FIND.run(manager, {
    organizationId,
    personKeys,
    requestedAt,
    after,
    limit: AT_ONCE.rows,
  });
  const [some] = inPiecesOfBytes(found, AT_ONCE);
  if (!some) return undefined;
  const links = await holding(manager, organizationId, subject, some);
  const emptied = links.map(({ id, mapping, held }) => {
    const left = mapping.map((each) => (held.has(each) ? { ...each, value: null } : each));
    const key = randomBytes(32).toString('hex');
    return { id, mapping: left, key, person_keys: personKeysOfMapping(left) };
  });
  if (emptied.length > 0) await EMPTY.count(manager, { organizationId, links: JSON.stringify(emptied) });
  return { found: foundIn(links), last: some.at(-1)!.id };
}

interface Holding {
  readonly id: string;
  readonly mapping: readonly MetadataAssociation[];
  /** Its entries that hold an identifier. */
  readonly held: ReadonlySet<MetadataAssociation>;
}

async function holding(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  found: readonly { readonly id: string }[],
): Promise<Holding[]> {
  const links: Holding[] = [];
  for (const { id, mapping } of await READ.run(manager, {
    organizationId,
    ids: found.map((link) => link.id),
  })) {
    const held = new Set<MetadataAssociation>();
    for await (const entry of withPauses(mapping)) {
      if (textsIn(entry.value).some((text) => isIdentifierOf(subject, text))) held.add(entry);
    }
    if (held.size > 0) links.push({ id, mapping, held });
  }
  return links;
}

function foundIn(links: readonly Holding[]): Found {
  return { links: links.length, metadataValues: links.reduce((sum, { held }) => sum + held.size, 0) };
}
