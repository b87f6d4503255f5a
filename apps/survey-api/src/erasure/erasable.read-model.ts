import { identifierKeys, isIdentifierOf, type RecordKey, type Subject } from '@cxp/erasure';
import { jsonColumn, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { MetadataAssociation, MetadataValue } from '../links/link.schema';
import { columnsOf, RESPONSE_FIELDS } from '../responses/response-fields';

/** $1 organization, $2 keys of the subject, $3 limit. */
const RESPONSES = new Statement(
  { id: textColumn('identifier') },
  (list) =>
    `SELECT ${list} FROM survey.response WHERE organization_id = $1 AND person_keys && $2::text[] LIMIT $3`,
);

const LINK = {
  id: textColumn('link.id'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
};

/** $1 organization, $2 keys of the subject, $3 limit. */
const LINKS = new Statement(
  LINK,
  (list) =>
    `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND person_keys && $2::text[] LIMIT $3`,
);

/** $1 organization, $2 ids. */
const LINKS_OF_IDS = new Statement(
  LINK,
  (list) => `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND id = ANY ($2::bigint[])`,
);

/** $1 organization, $2 identifiers. */
const RESPONSES_OF_IDS = new Statement(
  {
    survey_campaign_id: textColumn('response.campaign_id'),
    ...columnsOf(RESPONSE_FIELDS, 'response'),
  },
  (list) =>
    `SELECT ${list} FROM survey.response WHERE organization_id = $1 AND identifier = ANY ($2::uuid[])`,
);

/**
 * The responses of a subject, and the fields of links whose values are its identifiers (`17/3`).
 * @param limit of responses, and of links
 */
export async function findOfSubject(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  limit: number,
): Promise<RecordKey[]> {
  const values = [organizationId, identifierKeys(subject.phones, subject.emails), limit];
  const responses = await RESPONSES.run(manager, values);
  const links = responses.length < limit ? await LINKS.run(manager, values) : [];
  return [
    ...responses.map(({ id }) => ({ type: 'survey_response', id })),
    ...links.flatMap(({ id, mapping }) =>
      mapping
        .filter(({ value }) => textsIn(value).some((text) => isIdentifierOf(subject, text)))
        .map(({ metadata_id }) => ({ type: 'survey_link', id: `${id}/${metadata_id}` })),
    ),
  ];
}

export function linksOfIds(manager: EntityManager, organizationId: string, ids: readonly string[]) {
  return LINKS_OF_IDS.run(manager, [organizationId, ids]);
}

export function responsesOfIds(manager: EntityManager, organizationId: string, ids: readonly string[]) {
  return RESPONSES_OF_IDS.run(manager, [organizationId, ids]);
}

function textsIn(value: MetadataValue): string[] {
  return [value].flat().filter((text) => typeof text === 'string');
}
