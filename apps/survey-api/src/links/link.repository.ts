import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import { lastByKey } from '@cxp/platform-records';
import {
  booleanColumn,
  inTransaction,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { personKeysOfMapping } from '../erasure/personal-data';
import { type LinkRequest } from './link-request';
import { mappingKey, type MetadataAssociation } from './link.schema';

/** A link to a survey, which carries values for metadata fields. */
export type SurveyLink = RowOf<typeof LINK>;

const LINK = {
  id: numberColumn('link.id'),
  publicId: textColumn('link.public_id'),
  name: textColumn('link.name'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
  createdAt: timeColumn('link.created_at'),
  updatedAt: timeColumn('link.updated_at'),
};

/** The outcome of requests for links of a campaign, in their order. */
export interface LinksOutcome {
  /** Undefined where the campaign had its maximum number of links. */
  readonly links: readonly (SurveyLink | undefined)[];
  /** The maximum number of links of the campaign. */
  readonly limit: number;
}

const KEYED_LINK = { key: textColumn("encode(link.mapping_key, 'hex')"), ...LINK };

/** $1 organization, $2 campaign, $3 mapping keys (hexadecimal), $4 default limit. No row if the campaign is unknown, one of nulls if no link is. */
const FIND = new Statement(
  {
    ...KEYED_LINK,
    key: nullable(KEYED_LINK.key),
    limit: numberColumn('coalesce(settings.max_survey_links_per_campaign, $4::integer)'),
  },
  (list) => `SELECT ${list}
   FROM survey.campaign LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   LEFT JOIN survey.link ON link.organization_id = $1 AND link.campaign_id = $2
     AND link.mapping_key = ANY(SELECT decode(key, 'hex') FROM unnest($3::text[]) AS key)
   WHERE campaign.organization_id = $1 AND campaign.id = $2 AND campaign.status NOT IN ('awaited', 'deleted')`,
  'prepared',
);

/** The key space of the locks below. */
const LINK_LOCK = 0x6c6b;

/** SQL: held to the end of the transaction. New links of a campaign are counted under it. */
function lockOf({ organizationId, campaignId }: CampaignKey): string {
  const campaign = escapeLiteral(`${organizationId}:${campaignId}`);
  return `SELECT pg_advisory_xact_lock(${LINK_LOCK}, hashtext(${campaign}))`;
}

/** Under the lock of the campaign: $1 organization, $2 campaign, $3 requests as a JSON array, each key once, $4 how many links the campaign may have. */
const FIND_OR_INSERT = new Statement(
  { ...KEYED_LINK, isNew: booleanColumn('link.is_new') },
  (list) => `WITH request AS MATERIALIZED (
     SELECT *, decode(key, 'hex') AS mapping_key FROM json_to_recordset($3) AS request (
       place integer, key text, public_id text, name text, mapping json, person_keys text[]
     )
   ), known AS MATERIALIZED (
     SELECT * FROM survey.link
     WHERE organization_id = $1 AND campaign_id = $2 AND mapping_key = ANY(SELECT mapping_key FROM request)
   ), inserted AS (
     INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping, person_keys)
     SELECT $1, $2, mapping_key, public_id, name, mapping, person_keys FROM request
     WHERE mapping_key NOT IN (SELECT mapping_key FROM known)
     ORDER BY place LIMIT greatest(0, $4 - (
       SELECT count(*) FROM survey.link WHERE organization_id = $1 AND campaign_id = $2
     ))
     RETURNING *
   )
   SELECT ${list} FROM (
     SELECT *, FALSE AS is_new FROM known UNION ALL SELECT *, TRUE FROM inserted
   ) AS link`,
  'prepared',
);

/** $1 organization, $2 public ids. */
const INSERT_ADDRESSES = new Statement(
  {},
  'INSERT INTO survey.link_address (organization_id, public_id) SELECT $1, id FROM unnest($2::text[]) AS id',
);

/** $1 organization, $2 links as a JSON array. */
const ANONYMIZE = new Statement(
  {},
  `UPDATE survey.link
   SET name = '', metadata_mapping = known.mapping, mapping_key = decode(known.key, 'hex'), person_keys = known.person_keys
   FROM json_to_recordset($2) AS known (id bigint, mapping json, key text, person_keys text[])
   WHERE link.organization_id = $1 AND link.id = known.id`,
);

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Finds the campaign's links of some mappings, and makes those that are missing, with the outcome of as many calls one after the other.
   * @param defaultLimit how many links a campaign may have in an organization that has no limit of its own
   * @returns undefined if the campaign is unknown
   */
  async findOrCreateAll(
    organizationId: string,
    campaignId: string,
    requests: readonly LinkRequest[],
    defaultLimit: number,
  ): Promise<LinksOutcome | undefined> {
    const campaign = { organizationId, campaignId };
    const keys = requests.map(({ mapping }) => mappingKey(mapping).toString('hex'));
    const found = await FIND.run(this.manager, [organizationId, campaignId, keys, defaultLimit]);
    const [campaignFound] = found;
    if (!campaignFound) return undefined;
    const { limit } = campaignFound;
    let links = byKey(found);
    if (keys.some((key) => !links.has(key))) {
      const all = requests.map((request, place) => rowOf(keys[place]!, place, request));
      const rows = lastByKey(all.reverse(), ({ key }) => key);
      links = await inTransaction(this.manager.dataSource, [lockOf(campaign)], (manager) =>
        findOrInsert(manager, campaign, rows, limit),
      );
    }
    return { links: keys.map((key) => links.get(key)), limit };
  }

  /** Takes the names of links, and replaces their mappings and keys (hexadecimal). */
  async anonymize(
    organizationId: string,
    links: readonly {
      readonly id: string;
      readonly mapping: readonly MetadataAssociation[];
      readonly key: string;
    }[],
  ): Promise<void> {
    const rows = links.map((link) => ({ ...link, person_keys: personKeysOfMapping(link.mapping) }));
    await ANONYMIZE.count(this.manager, [organizationId, JSON.stringify(rows)]);
  }
}

interface CampaignKey {
  readonly organizationId: string;
  readonly campaignId: string;
}

function rowOf(key: string, place: number, { name, mapping }: LinkRequest) {
  // Nobody can guess it.
  const public_id = randomBytes(16).toString('base64url');
  return { place, key, public_id, name, mapping, person_keys: personKeysOfMapping(mapping) };
}

/** @returns links by mapping key (hexadecimal) */
async function findOrInsert(
  manager: EntityManager,
  { organizationId, campaignId }: CampaignKey,
  rows: readonly ReturnType<typeof rowOf>[],
  limit: number,
): Promise<Map<string, SurveyLink>> {
  const links = await FIND_OR_INSERT.run(manager, [organizationId, campaignId, JSON.stringify(rows), limit]);
  const publicIds = links.flatMap(({ isNew, publicId }) => (isNew ? [publicId] : []));
  if (publicIds.length > 0) await INSERT_ADDRESSES.count(manager, [organizationId, publicIds]);
  return byKey(links);
}

/** A row without a key has no link. */
function byKey(links: readonly (SurveyLink & { readonly key: string | null })[]): Map<string, SurveyLink> {
  return new Map(
    links.flatMap(({ key, id, publicId, name, mapping, createdAt, updatedAt }) =>
      key === null ? [] : [[key, { id, publicId, name, mapping, createdAt, updatedAt }]],
    ),
  );
}
