import { randomBytes } from 'node:crypto';
import { ChangeRepository } from '@cxp/change-feed';
import {
  type Erased,
  type ErasureArea,
  type ErasureMode,
  type ExpiringData,
  IS_OF_PERSON,
  isIdentifierOf,
  isNoNewData,
  type RecordKey,
  type Subject,
} from '@cxp/erasure';
import { identifierKeys } from '@cxp/identifiers';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import { jsonColumn, Statement, textColumn, UnscopedStatement } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { surveyDatabase } from '../database';
import { LinkRepository } from '../links/link.repository';
import type { MetadataAssociation, MetadataValue } from '../links/link.dto';
import { RESPONSE_FEED } from '../responses/response-feed';
import { columnsOf, LATEST_AT, RESPONSE_FIELDS, type ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';
import { anonymizedResponse, textsIn } from './personal-data';

/** Of a step, or of what has expired; each holds up the intake of its organization. */
const RESPONSES_PER_STEP = 500;

/** Opens a transaction in the organization's turn. */
function inSurveyTurn<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return withIntakeTurn(dataSource, surveyDatabase.name, organizationId, work, INTAKE_TIMEOUTS);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How area C erases: its roots are responses, and fields of links. @param keptDays undefined: responses do not expire */
export function surveyErasure(dataSource: DataSource, keptDays?: number): ErasureArea {
  return {
    name: surveyDatabase.name,
    schema: surveyDatabase.schema,
    ignoresUserIds: true,
    kinds: ['responses', 'links'],
    keyTypes: { survey_response: UUID, survey_link: /^\d{1,18}\/-?\d{1,16}$/ },
    rootsPerStep: RESPONSES_PER_STEP,
    transaction: (organizationId, work) => inSurveyTurn(dataSource, organizationId, work),
    find: findOfSubject,
    erase,
    lastChange: (manager, organizationId) =>
      new ChangeRepository(manager, RESPONSE_FEED.schema).last(organizationId),
    expiring: keptDays === undefined ? undefined : expiredResponses(dataSource, keptDays),
  };
}

async function erase(
  manager: EntityManager,
  organizationId: string,
  roots: readonly RecordKey[],
  mode: ErasureMode,
  isIdentifier: (text: string) => boolean,
  _isDryRun: boolean,
  requestedAt?: Date,
): Promise<Erased> {
  const idsOf = (type: string) => roots.filter((root) => root.type === type).map(({ id }) => id);
  const ids = idsOf('survey_response');
  const responses =
    mode === 'delete'
      ? await new ResponseRepository(manager).removeAll(organizationId, ids, 'erased')
      : await anonymizeResponses(manager, organizationId, ids);
  const fields = idsOf('survey_link');
  const links = await anonymizeLinks(manager, organizationId, fields, isIdentifier, requestedAt);
  const keys = [
    ...responses.map((id) => ({ type: 'survey_response', id })),
    ...fields.filter((field) => links.has(linkOf(field))).map((id) => ({ type: 'survey_link', id })),
  ];
  return { found: { responses: responses.length, links: links.size }, keys };
}

/** @returns the identifiers of those that exist */
async function anonymizeResponses(
  manager: EntityManager,
  organizationId: string,
  identifiers: readonly string[],
): Promise<string[]> {
  if (identifiers.length === 0) return [];
  const responses = (await RESPONSES_OF_IDS.run(manager, [organizationId, identifiers])).map(
    (row) => JSON.parse(JSON.stringify(row)) as ResponseRecord,
  );
  const repository = new ResponseRepository(manager);
  const campaigns = new CampaignRepository(manager);
  const campaignOf = (response: ResponseRecord) => response.survey_campaign_id;
  for await (const { some, questions } of campaigns.withQuestions(organizationId, responses, campaignOf)) {
    await repository.storeAll(
      organizationId,
      some.map((response) => anonymizedResponse(response, questions.get(response.survey_campaign_id))),
    );
  }
  return responses.map(({ identifier }) => identifier);
}

/**
 * Links keep working. No mapping leads to one any more, so that the same mapping makes another link.
 * @param fields `17/3`: of link 17 the values of field 3 that are identifiers
 * @returns the ids of the links that exist, and are not new data
 */
async function anonymizeLinks(
  manager: EntityManager,
  organizationId: string,
  fields: readonly string[],
  isIdentifier: (text: string) => boolean,
  requestedAt?: Date,
): Promise<ReadonlySet<string>> {
  if (fields.length === 0) return new Set();
  const erased = new Set(fields);
  const withoutIdentifier = <Item>(item: Item) => (textsIn(item).some(isIdentifier) ? null : item);
  const withoutIdentifiers = (value: MetadataValue): MetadataValue =>
    typeof value === 'object' && value !== null ? value.map(withoutIdentifier) : withoutIdentifier(value);
  const ids = [...new Set(fields.map(linkOf))];
  const found = await LINKS_OF_IDS.run(manager, [organizationId, ids, requestedAt]);
  const links = found.map(({ id, mapping }) => ({
    id,
    mapping: mapping.map(({ metadata_id, value }) => ({
      metadata_id,
      value: erased.has(`${id}/${metadata_id}`) ? withoutIdentifiers(value) : value,
    })),
    key: randomBytes(32).toString('hex'),
  }));
  await new LinkRepository(manager).anonymize(organizationId, links);
  return new Set(links.map(({ id }) => id));
}

function linkOf(field: string): string {
  return field.slice(0, field.indexOf('/'));
}

/** $1 organization, $2 keys of the subject, $3 limit. */
const RESPONSES = new Statement(
  { id: textColumn('identifier') },
  (list) => `SELECT ${list} FROM survey.response WHERE ${IS_OF_PERSON} LIMIT $3`,
);

const LINK = {
  id: textColumn('link.id'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
};

/**
 * SQL: whether a link is older than the request of an erasure. After a restore, a new link can have the id of an erased one. Instants are rounded
 * to milliseconds.
 */
const isNoNewLink = (requestedAt: string) =>
  isNoNewData(`${requestedAt}::timestamptz + interval '1 millisecond'`);

/** $1 organization, $2 keys of the subject, $3 limit, $4 when the erasure was asked for, if it was yet. */
const LINKS = new Statement(
  LINK,
  (list) => `SELECT ${list} FROM survey.link WHERE ${IS_OF_PERSON} AND ${isNoNewLink('$4')} LIMIT $3`,
);

/** $1 organization, $2 ids, $3 when the erasure was asked for, if it was yet. */
const LINKS_OF_IDS = new Statement(
  LINK,
  (list) =>
    `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND id = ANY ($2::bigint[]) AND ${isNoNewLink('$3')}`,
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
async function findOfSubject(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  limit: number,
  requestedAt?: Date,
): Promise<RecordKey[]> {
  const values = [organizationId, identifierKeys(subject.phones, subject.emails), limit] as const;
  const responses = await RESPONSES.run(manager, values);
  const links = responses.length < limit ? await LINKS.run(manager, [...values, requestedAt]) : [];
  return [
    ...responses.map(({ id }) => ({ type: 'survey_response', id })),
    ...links.flatMap(({ id, mapping }) =>
      mapping
        .filter(({ value }) => textsIn(value).some((text) => isIdentifierOf(subject, text)))
        .map(({ metadata_id }) => ({ type: 'survey_link', id: `${id}/${metadata_id}` })),
    ),
  ];
}

/**
 * $1 the instant before which responses have expired, $2 to $5 a place: organization, campaign, earliest time and identifier. Every response
 * has a campaign, an awaited one if need be, and none is answered before its earliest time, so that the index of windows finds them.
 */
const FIND_EXPIRED = new UnscopedStatement(
  {
    organizationId: textColumn('expired.organization_id'),
    campaignId: textColumn('expired.campaign_id'),
    earliestAt: textColumn("to_char(expired.earliest_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS+00')"),
    identifier: textColumn('expired.identifier'),
  },
  (list) => `SELECT ${list}
   FROM survey.campaign CROSS JOIN LATERAL (
     SELECT organization_id, campaign_id, earliest_at, identifier
     FROM survey.response
     WHERE organization_id = campaign.organization_id AND campaign_id = campaign.id
       AND earliest_at < $1 AND ${LATEST_AT} < $1
       AND ((organization_id, campaign_id) <> ($2, $3::uuid) OR (earliest_at, identifier) > ($4::timestamptz, $5::uuid))
     ORDER BY earliest_at, identifier
     LIMIT ${RESPONSES_PER_STEP}
   ) AS expired
   WHERE (campaign.organization_id, campaign.id) >= ($2, $3::uuid)
   ORDER BY campaign.organization_id, campaign.id, expired.earliest_at, expired.identifier
   LIMIT ${RESPONSES_PER_STEP}`,
);

/** $1 organization. Campaigns that responses have named, and none does any more. */
const FORGET_AWAITED = new Statement(
  {},
  `DELETE FROM survey.campaign WHERE organization_id = $1 AND status = 'awaited' AND NOT EXISTS (
     SELECT FROM survey.response WHERE organization_id = $1 AND campaign_id = campaign.id
   )`,
);

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const START = ['', NO_UUID, '-infinity', NO_UUID];

/** Responses expire so many days after their latest time. */
function expiredResponses(dataSource: DataSource, keptDays: number): ExpiringData {
  return {
    keptDays,
    async *find(manager, before) {
      for (let place = START; ;) {
        const found = await FIND_EXPIRED.run(manager, [before, ...place]);
        const organizationId = found[0]?.organizationId;
        if (organizationId === undefined) return;
        const own = found.filter((response) => response.organizationId === organizationId);
        yield { organizationId, ids: own.map(({ identifier }) => identifier) };
        place = Object.values(own.at(-1)!);
      }
    },
    remove: ({ organizationId, ids }, before) =>
      inSurveyTurn(dataSource, organizationId, async (manager) => {
        await new ResponseRepository(manager).removeAll(organizationId, ids, 'expired', before);
        await FORGET_AWAITED.run(manager, [organizationId]);
      }),
  };
}
