import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { jsonColumn, numberColumn, type RowOf, Statement, textColumn, timeColumn } from '@cxp/storage';
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

/** $1 organization, $2 campaign, $3 default limit. No row if the campaign is unknown. */
const FIND_LIMIT = new Statement(
  { limit: numberColumn('coalesce(settings.max_survey_links_per_campaign, $3::integer)') },
  (list) => `SELECT ${list}
   FROM survey.campaign LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   WHERE campaign.organization_id = $1 AND campaign.id = $2 AND campaign.status NOT IN ('awaited', 'deleted')`,
  'prepared',
);

const KEYED_LINK = { key: textColumn("encode(link.mapping_key, 'hex')"), ...LINK };

/** $1 organization, $2 campaign, $3 mapping keys (hexadecimal). */
const FIND_BY_KEYS = new Statement(
  KEYED_LINK,
  (list) => `SELECT ${list}
   FROM survey.link
   WHERE organization_id = $1 AND campaign_id = $2
     AND mapping_key = ANY(SELECT decode(key, 'hex') FROM unnest($3::text[]) AS key)`,
  'prepared',
);

/** The key space of the locks below. */
const LINK_LOCK = 0x6c6b;

/** $1 organization and campaign as one text. Held to the end of the transaction: each new link of a campaign is counted under it. */
const LOCK_CAMPAIGN = new Statement({}, `SELECT pg_advisory_xact_lock(${LINK_LOCK}, hashtext($1))`);

/** $1 organization, $2 campaign. */
const COUNT = new Statement(
  { links: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND campaign_id = $2`,
);

/** $1 organization, $2 campaign, $3 the links as a JSON array. */
const INSERT_ALL = new Statement(
  KEYED_LINK,
  (
    list,
  ) => `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping, person_keys)
   SELECT $1, $2, decode(key, 'hex'), public_id, name, mapping, person_keys
   FROM json_to_recordset($3) AS request (
     place integer, key text, public_id text, name text, mapping json, person_keys text[]
   )
   ORDER BY place
   RETURNING ${list}`,
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
    const permitted = await FIND_LIMIT.first(this.manager, [organizationId, campaignId, defaultLimit]);
    if (!permitted) return undefined;
    const keys = requests.map(({ mapping }) => mappingKey(mapping).toString('hex'));
    const campaign = { organizationId, campaignId };
    let links = await findByKeys(this.manager, campaign, keys);
    if (keys.some((key) => !links.has(key))) {
      links = await this.manager.transaction(async (manager) => {
        await LOCK_CAMPAIGN.run(manager, [`${organizationId}:${campaignId}`]);
        const found = await findByKeys(manager, campaign, keys);
        const { links: count } = (await COUNT.first(manager, [organizationId, campaignId]))!;
        const missing = new Map<string, LinkRequest>();
        for (const [index, key] of keys.entries()) {
          const isFull = count + missing.size >= permitted.limit;
          if (!isFull && !found.has(key) && !missing.has(key)) missing.set(key, requests[index]!);
        }
        return new Map([...found, ...(await insertAll(manager, campaign, missing))]);
      });
    }
    return { links: keys.map((key) => links.get(key)), limit: permitted.limit };
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

/** @returns links by mapping key (hexadecimal) */
async function findByKeys(
  manager: EntityManager,
  { organizationId, campaignId }: CampaignKey,
  keys: readonly string[],
): Promise<Map<string, SurveyLink>> {
  return byKey(await FIND_BY_KEYS.run(manager, [organizationId, campaignId, keys]));
}

/** Under the lock of the campaign. @returns links by mapping key (hexadecimal) */
async function insertAll(
  manager: EntityManager,
  { organizationId, campaignId }: CampaignKey,
  requests: ReadonlyMap<string, LinkRequest>,
): Promise<Map<string, SurveyLink>> {
  if (requests.size === 0) return new Map();
  const rows = [...requests].map(([key, { name, mapping }], place) => ({
    place,
    key,
    // Nobody can guess it.
    public_id: randomBytes(16).toString('base64url'),
    name,
    mapping,
    person_keys: personKeysOfMapping(mapping),
  }));
  await INSERT_ADDRESSES.count(manager, [organizationId, rows.map(({ public_id }) => public_id)]);
  return byKey(await INSERT_ALL.run(manager, [organizationId, campaignId, JSON.stringify(rows)]));
}

function byKey(links: readonly RowOf<typeof KEYED_LINK>[]): Map<string, SurveyLink> {
  return new Map(links.map(({ key, ...link }) => [key, link]));
}
