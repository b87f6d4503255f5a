import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import { canonicalJson } from '@cxp/change-feed';
import {
  inTransaction,
  jsonColumn,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { personKeysOfMapping } from './erased-links';
import type { MetadataAssociation } from './link.dto';

export type SurveyLink = RowOf<typeof LINK>;

const LINK = {
  id: numberColumn('link.id'),
  publicId: textColumn('link.public_id'),
  name: textColumn('link.name'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
  createdAt: timeColumn('link.created_at'),
  updatedAt: timeColumn('link.updated_at'),
};

export interface LinkOutcome {
  /** undefined if the campaign has its maximum number of links. */
  readonly link: SurveyLink | undefined;
  readonly limit: number;
}

/** $3 default limit. No row comes back for an unknown campaign. */
const FIND_LIMIT = new Statement(
  { limit: numberColumn('coalesce(settings.max_survey_links_per_campaign, $3::integer)') },
  (list) => `SELECT ${list}
   FROM survey.campaign LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   WHERE campaign.organization_id = $1 AND campaign.id = $2 AND campaign.status NOT IN ('awaited', 'deleted')`,
  'prepared',
);

const FIND = new Statement(
  LINK,
  (list) => `SELECT ${list} FROM survey.link
   WHERE link.organization_id = $1 AND link.campaign_id = $2 AND link.mapping_key = $3`,
  'prepared',
);

const COUNT = new Statement(
  { links: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND campaign_id = $2`,
  'prepared',
);

/** The key space of these advisory locks. */
const LINK_LOCK = 0x6c6b;

/** Serialises the creation of links of a campaign until the end of the transaction, because it counts them. */
function lockOf(organizationId: string, campaignId: string): string {
  return `SELECT pg_advisory_xact_lock(${LINK_LOCK}, hashtext(${escapeLiteral(`${organizationId}:${campaignId}`)}))`;
}

/** $1 organization, $2 campaign, $3 mapping key, $4 public id, $5 name, $6 mapping, $7 person keys. */
const INSERT = new Statement(
  LINK,
  (
    list,
  ) => `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping, person_keys)
   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${list}`,
  'prepared',
);

const INSERT_ADDRESS = new Statement(
  {},
  'INSERT INTO survey.link_address (organization_id, public_id) VALUES ($1, $2)',
);

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * @param sentCampaignId in any case
   * @param defaultLimit of links, unless the organization has its own
   * @returns undefined if the campaign is unknown
   */
  async findOrCreate(
    organizationId: string,
    sentCampaignId: string,
    { name, mapping }: { readonly name: string; readonly mapping: readonly MetadataAssociation[] },
    defaultLimit: number,
  ): Promise<LinkOutcome | undefined> {
    // The lock's key is the text of the id.
    const campaignId = sentCampaignId.toLowerCase();
    const campaign = await FIND_LIMIT.first(this.manager, [organizationId, campaignId, defaultLimit]);
    if (!campaign) return undefined;
    const key = [organizationId, campaignId, mappingKey(mapping)] as const;
    const found = await FIND.first(this.manager, key);
    if (found) return { link: found, limit: campaign.limit };
    const lock = lockOf(organizationId, campaignId);
    const link = await inTransaction(this.manager.dataSource, organizationId, [lock], async (manager) => {
      const made = await FIND.first(manager, key);
      if (made) return made;
      const count = await COUNT.first(manager, [organizationId, campaignId]);
      if (count!.links >= campaign.limit) return undefined;
      // 128 random bits: nobody can guess the address.
      const publicId = randomBytes(16).toString('base64url');
      await INSERT_ADDRESS.count(manager, [organizationId, publicId]);
      const values = [publicId, name, JSON.stringify(mapping), personKeysOfMapping(mapping)];
      return INSERT.first(manager, [...key, ...values]);
    });
    return { link, limit: campaign.limit };
  }
}

/**
 * One campaign has one link per mapping. The order of entries and of object members does not matter, that of list items does.
 * `1` equals `1.0` and differs from `"1"`.
 * @returns SHA-256 of the canonical JSON
 */
export function mappingKey(mapping: readonly MetadataAssociation[]): Buffer {
  const canonical = mapping
    .map(({ metadata_id, value }) => [metadata_id, value] as const)
    .sort(([left], [right]) => left - right);
  return createHash('sha256').update(canonicalJson(canonical)).digest();
}
