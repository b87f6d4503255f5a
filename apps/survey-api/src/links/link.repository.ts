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
  /** Undefined where the campaign had its maximum number of links. */
  readonly link: SurveyLink | undefined;
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

/** $1 organization, $2 campaign, $3 mapping key. */
const FIND = new Statement(
  LINK,
  (list) => `SELECT ${list} FROM survey.link
   WHERE link.organization_id = $1 AND link.campaign_id = $2 AND link.mapping_key = $3`,
  'prepared',
);

/** $1 organization, $2 campaign. */
const COUNT = new Statement(
  { links: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM survey.link WHERE organization_id = $1 AND campaign_id = $2`,
  'prepared',
);

/** The key space of the locks below. */
const LINK_LOCK = 0x6c6b;

/** SQL: held to the end of the transaction. New links of a campaign are counted under it. */
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

/** $1 organization, $2 public id. */
const INSERT_ADDRESS = new Statement(
  {},
  'INSERT INTO survey.link_address (organization_id, public_id) VALUES ($1, $2)',
);

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Finds the campaign's link of a mapping, or makes it.
   * @param sentCampaignId in any case
   * @param defaultLimit how many links a campaign may have in an organization that has no limit of its own
   * @returns undefined if the campaign is unknown
   */
  async findOrCreate(
    organizationId: string,
    sentCampaignId: string,
    { name, mapping }: { readonly name: string; readonly mapping: readonly MetadataAssociation[] },
    defaultLimit: number,
  ): Promise<LinkOutcome | undefined> {
    // The lock is of the text.
    const campaignId = sentCampaignId.toLowerCase();
    const campaign = await FIND_LIMIT.first(this.manager, [organizationId, campaignId, defaultLimit]);
    if (!campaign) return undefined;
    const key = [organizationId, campaignId, mappingKey(mapping)] as const;
    const found = await FIND.first(this.manager, key);
    if (found) return { link: found, limit: campaign.limit };
    // New links of a campaign are made one after the other.
    const lock = lockOf(organizationId, campaignId);
    const link = await inTransaction(this.manager.dataSource, organizationId, [lock], async (manager) => {
      const made = await FIND.first(manager, key);
      if (made) return made;
      const count = await COUNT.first(manager, [organizationId, campaignId]);
      if (count!.links >= campaign.limit) return undefined;
      // Nobody can guess it.
      const publicId = randomBytes(16).toString('base64url');
      await INSERT_ADDRESS.count(manager, [organizationId, publicId]);
      const values = [publicId, name, JSON.stringify(mapping), personKeysOfMapping(mapping)];
      return INSERT.first(manager, [...key, ...values]);
    });
    return { link, limit: campaign.limit };
  }
}

/**
 * The identity of a mapping, for the rule that one campaign has one link per mapping. The order of the entries does not
 * matter, nor that of an object's members; that of a list's items does. `1` and `1.0` are one number, `1` and `"1"` are not the same.
 * @returns a SHA-256 of the mapping's canonical JSON
 */
export function mappingKey(mapping: readonly MetadataAssociation[]): Buffer {
  const canonical = mapping
    .map(({ metadata_id, value }) => [metadata_id, value] as const)
    .sort(([left], [right]) => left - right);
  return createHash('sha256').update(canonicalJson(canonical)).digest();
}
