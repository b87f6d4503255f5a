import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PreparedStatement, violates } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { LinkRequest } from './link-request';
import { mappingKey, type MetadataAssociation } from './metadata-mapping';

/** A link to a survey, which carries values for metadata fields. */
export interface SurveyLink {
  readonly id: number;
  readonly publicId: string;
  readonly name: string;
  readonly mapping: readonly MetadataAssociation[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What asking for a link comes to. */
export interface LinkOutcome {
  /** The link of this mapping, new or not; none when the campaign is unknown or has as many links as it may have. */
  readonly link: SurveyLink | undefined;
  readonly campaignExists: boolean;
  /** How many links the campaign may have. */
  readonly limit: number;
}

export type LinkRow = Omit<LinkOutcome, 'link'> & SurveyLink;

/** $1 organization, $2 campaign, $3 mapping key, $4 default limit, $5 public id, $6 name, $7 mapping. */
export const FIND_OR_CREATE_LINK = new PreparedStatement<LinkRow>(
  'find or create link',
  `WITH permitted AS (
     SELECT coalesce(
       (SELECT max_survey_links_per_campaign FROM survey.organization_settings WHERE organization_id = $1), $4
     )::int AS links
   ), campaign AS (
     SELECT FROM survey.campaign
     WHERE organization_id = $1 AND id = $2 AND status NOT IN ('awaited', 'deleted')
   ), existing AS (
     SELECT link.*
     FROM survey.link CROSS JOIN campaign
     WHERE organization_id = $1 AND campaign_id = $2 AND mapping_key = $3
   ), counted AS (
     INSERT INTO survey.link_count AS counter (organization_id, campaign_id, links)
     SELECT $1, $2, 1
     FROM campaign CROSS JOIN permitted
     WHERE permitted.links > 0 AND NOT EXISTS (SELECT FROM existing)
     ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = counter.links + 1
       WHERE counter.links < (SELECT links FROM permitted)
     RETURNING campaign_id
   ), created AS (
     INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
     SELECT $1, campaign_id, $3, $5, $6, $7 FROM counted
     RETURNING *
   )
   SELECT permitted.links AS limit, EXISTS (SELECT FROM campaign) AS "campaignExists",
     link.id::float8, link.public_id AS "publicId", link.name, link.metadata_mapping AS mapping,
     link.created_at AS "createdAt", link.updated_at AS "updatedAt"
   FROM permitted
   LEFT JOIN (SELECT * FROM existing UNION ALL SELECT * FROM created) AS link ON true`,
);

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Finds the campaign's link of this mapping, or makes it.
   * @param defaultLimit how many links a campaign may have in an organization that has no limit of its own
   */
  async findOrCreate(
    organizationId: string,
    campaignId: string,
    { name, mapping }: LinkRequest,
    defaultLimit: number,
  ): Promise<LinkOutcome> {
    const parameters = [
      organizationId,
      campaignId,
      mappingKey(mapping),
      defaultLimit,
      randomBytes(16).toString('base64url'),
      name,
      JSON.stringify(mapping),
    ];
    const outcome = await this.attempt(parameters).catch((error: unknown) => {
      if (violates(error, 'link_mapping_unique')) return undefined;
      throw error;
    });
    // Without a link, another request may have made it while this one waited to be counted: now it can be seen.
    return outcome?.link ? outcome : this.attempt(parameters);
  }

  private async attempt(parameters: unknown[]): Promise<LinkOutcome> {
    const [row] = await FIND_OR_CREATE_LINK.run(this.manager, parameters);
    const { limit, campaignExists, ...link } = row!;
    return { limit, campaignExists, link: link.id === null ? undefined : link };
  }
}
