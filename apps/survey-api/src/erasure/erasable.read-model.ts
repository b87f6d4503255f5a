import {
  jsonColumn,
  MAX_PIECE_BYTES,
  numberColumn,
  precedingBytes,
  Statement,
  textColumn,
} from '@cxp/storage';
import type { MetadataAssociation } from '../links/metadata-mapping';
import { responseColumns } from '../responses/survey-response';

/** SQL: the hashes that the texts of a subject have in the indexes. $2 phones, $3 emails. */
const SUBJECT_HASHES = `(SELECT survey.identifier_hashes($1, array_to_json($2::text[] || $3::text[])))`;

/**
 * SQL: whether a text in a JSON value of the organization is an identifier of the subject. Those of one hash need not be the same. PostgreSQL
 * can't use the first condition, in another collation than the table's, to read an index of all rows of the organization beside that of the hashes.
 */
function namesSubject(json: string): string {
  return `organization_id = $1::text COLLATE "POSIX" AND survey.identifier_hashes(organization_id, ${json}) && ${SUBJECT_HASHES} AND EXISTS (
     SELECT FROM jsonb_path_query(${json}::jsonb, 'strict $.** ? (@.type() == "string")') AS found
     CROSS JOIN LATERAL (SELECT found #>> '{}' AS text) AS held
     WHERE survey.comparable_phone(text) = ANY ($2) OR survey.comparable_email(text) = ANY ($3)
   )`;
}

/** SQL: whether a column of responses is one of some identifiers, by its index. */
function isOne(kind: 'phone' | 'email', identifiers: string): string {
  return `organization_id = $1 AND user_${kind} <> '' AND survey.comparable_${kind}(user_${kind}) = ANY (${identifiers})
     AND survey.identifier_hash(user_${kind}) = ANY (
       ARRAY(SELECT survey.identifier_hash(identifier) FROM unnest(${identifiers}::text[]) AS identifier)
     )`;
}

/** SQL: the responses that an identifier leads to. Each part reads an index of its own. @param limit SQL: of each part */
function responses(limit: string): string {
  const part = (condition: string) =>
    `(SELECT identifier FROM survey.response WHERE ${condition} LIMIT ${limit})`;
  const ofMetadata = `metadata_mappings IS NOT NULL AND ${namesSubject('metadata_mappings')}`;
  return [isOne('phone', '$2'), isOne('email', '$3'), ofMetadata].map(part).join(' UNION ');
}

const LINKS = `SELECT id FROM survey.link WHERE ${namesSubject('metadata_mapping')}`;

const ROOT = { type: textColumn<'survey_response' | 'survey_link'>('type'), id: textColumn('id') };

/** What an erasure reads. $1 organization; of `count` and `find` $2 phones, $3 emails, $4 limit. */
export const ERASABLE = {
  count: new Statement(
    {
      responses: numberColumn(`(SELECT count(*) FROM (${responses('$4')} LIMIT $4) AS response)`),
      links: numberColumn(`(SELECT count(*) FROM (${LINKS} LIMIT $4) AS link)`),
    },
    (list) => `SELECT ${list}`,
  ),

  find: new Statement(
    ROOT,
    (list) => `SELECT ${list} FROM (
       SELECT 'survey_response' AS type, identifier::text AS id FROM (${responses('$4')}) AS response
       UNION ALL
       SELECT 'survey_link', id::text FROM (${LINKS}) AS link
     ) AS root LIMIT $4`,
  ),

  /** $2 the last link that is listed, or null; $3 limit. */
  links: new Statement(
    ROOT,
    (list) => `SELECT ${list} FROM (
       SELECT 'survey_link' AS type, link.id FROM survey.link
       WHERE organization_id = $1 AND link.id > coalesce($2::bigint, 0) AND name <> ''
       ORDER BY link.id LIMIT $3
     ) AS root ORDER BY root.id`,
  ),

  /** $2 the last response that is listed, or null; $3 limit. */
  responses: new Statement(
    ROOT,
    (list) => `SELECT ${list} FROM (
       SELECT 'survey_response' AS type, identifier AS id FROM survey.response
       WHERE organization_id = $1 AND ($2::uuid IS NULL OR identifier > $2) AND NOT is_anonymized
       ORDER BY identifier LIMIT $3
     ) AS root ORDER BY root.id`,
  ),

  /** $2 identifiers. As many as one read returns. */
  responsesToAnonymize: new Statement(
    {
      survey_campaign_id: textColumn('response.campaign_id'),
      tags: jsonColumn<string[]>('response.tags'),
      ...responseColumns('response'),
    },
    (list) => `SELECT ${list} FROM (
       SELECT response.*, ${precedingBytes('response.bytes', 'response.identifier')} AS preceding_bytes
       FROM survey.response WHERE organization_id = $1 AND identifier = ANY ($2)
     ) AS response WHERE preceding_bytes < ${MAX_PIECE_BYTES}`,
  ),

  /** $2 ids. As many as one read returns. */
  linksToAnonymize: new Statement(
    {
      id: textColumn('link.id'),
      mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
    },
    (list) => `SELECT ${list} FROM (
       SELECT link.*, ${precedingBytes('octet_length(link.metadata_mapping::text)', 'link.id')} AS preceding_bytes
       FROM survey.link WHERE organization_id = $1 AND link.id = ANY ($2::bigint[])
     ) AS link WHERE preceding_bytes < ${MAX_PIECE_BYTES}`,
  ),
};
