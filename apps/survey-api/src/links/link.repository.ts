import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import {
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

/**
 * Planned for each run: a plan that was made while there were few links would read all of them.
 * $1 organization, $2 campaign, $3 mapping keys, $4 default limit. No row if the campaign is unknown, one of nulls if no link is.
 */
const FIND = new Statement(
  {
    ...KEYED_LINK,
    key: nullable(KEYED_LINK.key),
    limit: numberColumn('coalesce(settings.max_survey_links_per_campaign, $4::integer)'),
  },
  (list) => `SELECT ${list}
   FROM survey.campaign LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   LEFT JOIN survey.link ON link.organization_id = $1 AND link.campaign_id = $2
     AND link.mapping_key = ANY($3::bytea[])
   WHERE campaign.organization_id = $1 AND campaign.id = $2 AND campaign.status NOT IN ('awaited', 'deleted')`,
);

/** The key space of the locks below. */
const LINK_LOCK = 0x6c6b;

/** SQL: held to the end of the transaction. New links of a campaign are counted under it. */
function lockOf({ organizationId, campaignId }: CampaignKey): string {
  const campaign = escapeLiteral(`${organizationId}:${campaignId}`);
  return `SELECT pg_advisory_xact_lock(${LINK_LOCK}, hashtext(${campaign}))`;
}

/** As `FIND`, under the lock of the campaign: with the number of its links. */
const FIND_AND_COUNT = new Statement(
  { ...KEYED_LINK, key: nullable(KEYED_LINK.key), count: numberColumn('campaign.links') },
  (list) => `SELECT ${list}
   FROM (SELECT count(*) AS links FROM survey.link WHERE organization_id = $1 AND campaign_id = $2) AS campaign
   LEFT JOIN survey.link ON link.organization_id = $1 AND link.campaign_id = $2
     AND link.mapping_key = ANY($3::bytea[])`,
);

/** $1 organization, $2 campaign, $3 links as a JSON array. Only the coordinator of a cluster of Citus has the rights to number them: no table is read. */
const INSERT = new Statement(
  KEYED_LINK,
  (
    list,
  ) => `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping, person_keys)
   SELECT $1, $2, decode(key, 'hex'), public_id, name, mapping, person_keys
   FROM json_to_recordset($3) AS request (key text, public_id text, name text, mapping json, person_keys text[])
   RETURNING ${list}`,
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
   * @param sentCampaignId in any case
   * @param defaultLimit how many links a campaign may have in an organization that has no limit of its own
   * @returns undefined if the campaign is unknown
   */
  async findOrCreateAll(
    organizationId: string,
    sentCampaignId: string,
    requests: readonly LinkRequest[],
    defaultLimit: number,
  ): Promise<LinksOutcome | undefined> {
    // The lock is of the text.
    const campaignId = sentCampaignId.toLowerCase();
    const campaign = { organizationId, campaignId };
    const keys = requests.map(({ mapping }) => mappingKey(mapping).toString('hex'));
    const found = await FIND.run(this.manager, [organizationId, campaignId, keys.map(bytesOf), defaultLimit]);
    const [campaignFound] = found;
    if (!campaignFound) return undefined;
    const { limit } = campaignFound;
    let links = byKey(found);
    if (keys.some((key) => !links.has(key))) {
      // The first of equal requests, in their order.
      const rows = new Map<string, ReturnType<typeof rowOf>>();
      for (const [place, key] of keys.entries())
        if (!rows.has(key)) rows.set(key, rowOf(key, requests[place]!));
      links = await inTransaction(this.manager.dataSource, [lockOf(campaign)], (manager) =>
        findOrInsert(manager, campaign, [...rows.values()], limit),
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

function rowOf(key: string, { name, mapping }: LinkRequest) {
  // Nobody can guess it.
  const public_id = randomBytes(16).toString('base64url');
  return { key, public_id, name, mapping, person_keys: personKeysOfMapping(mapping) };
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'hex');
}

/** @returns links by mapping key (hexadecimal) */
async function findOrInsert(
  manager: EntityManager,
  { organizationId, campaignId }: CampaignKey,
  rows: readonly ReturnType<typeof rowOf>[],
  limit: number,
): Promise<Map<string, SurveyLink>> {
  const keys = rows.map(({ key }) => key);
  const found = await FIND_AND_COUNT.run(manager, [organizationId, campaignId, keys.map(bytesOf)]);
  const known = byKey(found);
  const missing = rows.filter(({ key }) => !known.has(key)).slice(0, Math.max(0, limit - found[0]!.count));
  if (missing.length === 0) return known;
  const inserted = await INSERT.run(manager, [organizationId, campaignId, JSON.stringify(missing)]);
  await INSERT_ADDRESSES.count(manager, [organizationId, missing.map(({ public_id }) => public_id)]);
  return new Map([...known, ...byKey(inserted)]);
}

/** A row without a key has no link. */
function byKey(links: readonly (SurveyLink & { readonly key: string | null })[]): Map<string, SurveyLink> {
  return new Map(
    links.flatMap(({ key, id, publicId, name, mapping, createdAt, updatedAt }) =>
      key === null ? [] : [[key, { id, publicId, name, mapping, createdAt, updatedAt }]],
    ),
  );
}
