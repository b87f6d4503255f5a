import { Injectable } from '@nestjs/common';
import {
  booleanColumn,
  byteaColumn,
  type Columns,
  inNameOf,
  jsonColumn,
  nullable,
  type RowOf,
  Statement,
  textColumn,
  UnscopedStatement,
} from '@cxp/storage';
import { LRUCache } from 'lru-cache';
import { EntityManager } from 'typeorm';
import type { CampaignStatus, SurveyLanguage } from '@cxp/records';
import type { Logo } from '../organization-settings/organization-settings.repository';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { JsonObject } from '../json';
import { MAX_PAGE_METADATA_BYTES } from '../links/link.dto';

export type LinkedSurvey = RowOf<typeof LINKED_SURVEY>;

const LINKED_SURVEY = {
  organizationId: textColumn('link.organization_id'),
  publicId: textColumn('link.public_id'),
  campaignId: textColumn('campaign.id'),
  name: textColumn('campaign.name'),
  status: textColumn<CampaignStatus>('campaign.status'),
  language: nullable(textColumn<SurveyLanguage>('campaign.language')),
  questions: jsonColumn<readonly SurveyQuestion[]>('campaign.questions'),
  brandName: nullable(textColumn('settings.brand_name')),
  brandColor: nullable(textColumn('settings.brand_color')),
  hasLogo: booleanColumn('settings.logo IS NOT NULL'),
};

const LOGO = {
  type: nullable(textColumn<Logo['type']>('settings.logo_type')),
  bytes: nullable(byteaColumn('settings.logo')),
};

/** SQL rows of a link's metadata, as the fields are named now. */
const METADATA = `json_array_elements(link.metadata_mapping) AS entry
   CROSS JOIN LATERAL (
     SELECT variable FROM survey.metadata_field WHERE organization_id = $organizationId AND id = (entry ->> 'metadata_id')::bigint OFFSET 0
   ) AS field`;

/** Measured as `JSON.stringify` writes the metadata. Ids take less than half of a mapping that is near the limit. */
const HAS_PAGE = `CASE WHEN octet_length(link.metadata_mapping::text) <= ${2 * MAX_PAGE_METADATA_BYTES} THEN ${MAX_PAGE_METADATA_BYTES} >= (
     SELECT coalesce(1 + sum(octet_length(to_json(field.variable)::text) + octet_length((entry -> 'value')::text) + 2), 0)
     FROM ${METADATA}
   ) ELSE false END`;

/** A link with too much metadata has no page. */
const OF_LINK = `FROM survey.link
   JOIN survey.campaign ON campaign.organization_id = $organizationId AND campaign.id = link.campaign_id
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $organizationId
   WHERE link.organization_id = $organizationId AND link.public_id = $publicId
     AND ${HAS_PAGE}`;

const LINK_KEY = { organizationId: 'text', publicId: 'text' } as const;
const FIND_LINKED_SURVEY = new Statement(
  LINK_KEY,
  LINKED_SURVEY,
  (list) => `SELECT ${list} ${OF_LINK}`,
  'prepared',
);
const FIND_LOGO = new Statement(LINK_KEY, LOGO, (list) => `SELECT ${list} ${OF_LINK}`, 'prepared');

/** Skips entries whose field was deleted. */
const FIND_METADATA = new Statement(
  { organizationId: 'text', publicIds: 'text[]' },
  { publicId: textColumn('public_id'), metadata: nullable(jsonColumn<JsonObject>('metadata')) },
  (list) => `SELECT ${list} FROM survey.link CROSS JOIN LATERAL (
     SELECT json_object_agg(field.variable, entry -> 'value') AS metadata FROM ${METADATA}
   ) AS of_link
   WHERE link.organization_id = $organizationId AND link.public_id = ANY ($publicIds)`,
);

/** The respondent has nothing but the public id. */
const FIND_ORGANIZATION = new UnscopedStatement(
  { publicId: 'text' },
  { organizationId: textColumn('organization_id') },
  (list) => `SELECT ${list} FROM survey.link_address WHERE public_id = $publicId`,
  'prepared',
);

/** Until their organization is known, all respondents share one organization's limit. */
const RESPONDENTS = '';

/** 128 bits in base64url. */
const PUBLIC_ID = /^[\w-]{22}$/;

@Injectable()
export class LinkedSurveyReadModel {
  /** By public id, whose organization never changes. */
  private readonly organizations = new LRUCache<string, string>({ max: 10_000 });

  constructor(private readonly manager: EntityManager) {}

  find(publicId: string): Promise<LinkedSurvey | undefined> {
    return this.first(FIND_LINKED_SURVEY, publicId);
  }

  /** undefined without such a link or logo. */
  async findLogo(publicId: string): Promise<Logo | undefined> {
    const found = await this.first(FIND_LOGO, publicId);
    return found?.type && found.bytes ? { type: found.type, bytes: found.bytes } : undefined;
  }

  private async first<OfLink extends Columns>(
    statement: Statement<typeof LINK_KEY, OfLink>,
    publicId: string,
  ): Promise<RowOf<OfLink> | undefined> {
    const organizationId = await this.organizationOf(publicId);
    return organizationId === undefined
      ? undefined
      : statement.first(this.manager, { organizationId, publicId });
  }

  private async organizationOf(publicId: string): Promise<string | undefined> {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const known = this.organizations.get(publicId);
    if (known !== undefined) return known;
    const found = await inNameOf(RESPONDENTS, this.manager.dataSource, () =>
      FIND_ORGANIZATION.first(this.manager, { publicId }),
    );
    if (found) this.organizations.set(publicId, found.organizationId);
    return found?.organizationId;
  }
}

/** The `metadata_mappings` of responses, by metadata variable; null for a link without metadata. */
export async function metadataOfLinks(
  manager: EntityManager,
  organizationId: string,
  publicIds: readonly string[],
): Promise<ReadonlyMap<string, JsonObject | null>> {
  const found = await FIND_METADATA.run(manager, { organizationId, publicIds });
  return new Map(found.map(({ publicId, metadata }) => [publicId, metadata]));
}
