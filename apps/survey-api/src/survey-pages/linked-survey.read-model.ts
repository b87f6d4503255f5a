import { Injectable } from '@nestjs/common';
import {
  booleanColumn,
  byteaColumn,
  jsonColumn,
  nullable,
  type RowOf,
  Statement,
  textColumn,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { CampaignStatus } from '@cxp/platform-records';
import type { Logo } from '../brand/logo';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { JsonObject } from '../responses/answers';

/** The survey that a link leads to, as it is now. */
export type LinkedSurvey = RowOf<typeof LINKED_SURVEY>;

const LINKED_SURVEY = {
  organizationId: textColumn('link.organization_id'),
  campaignId: textColumn('link.campaign_id'),
  name: textColumn('campaign.name'),
  status: textColumn<CampaignStatus>('campaign.status'),
  questions: jsonColumn<readonly SurveyQuestion[]>('campaign.questions'),
  brandName: nullable(textColumn('settings.brand_name')),
  brandColor: nullable(textColumn('settings.brand_color')),
  hasLogo: booleanColumn('settings.logo IS NOT NULL'),
  /** Whether the link has values for metadata fields. */
  hasMetadata: booleanColumn('json_array_length(link.metadata_mapping) > 0'),
};

export const FIND_LINKED_SURVEY = new Statement(
  LINKED_SURVEY,
  (list) => `SELECT ${list}
   FROM survey.link
   JOIN survey.campaign ON campaign.organization_id = link.organization_id AND campaign.id = link.campaign_id
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = link.organization_id
   WHERE link.public_id = $1`,
  'prepared',
);

/** $1 public id. A row for each link, with a logo or without. */
const FIND_LOGO = new Statement(
  {
    type: nullable(textColumn<Logo['type']>('settings.logo_type')),
    bytes: nullable(byteaColumn('settings.logo')),
  },
  (list) => `SELECT ${list}
   FROM survey.link
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = link.organization_id
   WHERE link.public_id = $1`,
  'prepared',
);

/** $1 organization, $2 public ids. Values by metadata variable, as responses hold them. */
const FIND_LINK_METADATA = new Statement(
  {
    publicId: textColumn('link.public_id'),
    metadata: jsonColumn<JsonObject>("json_object_agg(field.variable, entry -> 'value')"),
  },
  (list) => `SELECT ${list}
   FROM survey.link
   CROSS JOIN json_array_elements(link.metadata_mapping) AS entry
   JOIN survey.metadata_field AS field
     ON field.organization_id = link.organization_id AND field.id = (entry ->> 'metadata_id')::bigint
   WHERE link.organization_id = $1 AND link.public_id = ANY ($2::text[])
   GROUP BY link.public_id`,
  'prepared',
);

/** Whether a link could have this public id: 128 random bits. */
export function isPublicId(publicId: string): boolean {
  return /^[\w-]{22}$/.test(publicId);
}

@Injectable()
export class LinkedSurveyReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** Finds the survey of a link of any organization: its public id is all that a respondent has. */
  async find(publicId: string): Promise<LinkedSurvey | undefined> {
    if (!isPublicId(publicId)) return undefined;
    return FIND_LINKED_SURVEY.first(this.manager, [publicId]);
  }

  /** The logo of the organization of a link; undefined without such a link or logo. */
  async findLogo(publicId: string): Promise<Logo | undefined> {
    if (!isPublicId(publicId)) return undefined;
    const { type = null, bytes = null } = (await FIND_LOGO.first(this.manager, [publicId])) ?? {};
    return type && bytes ? { type, bytes } : undefined;
  }

  /** What the responses of links have as `metadata_mappings`, by public id. */
  async findMetadata(organizationId: string, publicIds: readonly string[]): Promise<Map<string, JsonObject>> {
    if (publicIds.length === 0) return new Map();
    const found = await FIND_LINK_METADATA.run(this.manager, [organizationId, publicIds]);
    return new Map(found.map(({ publicId, metadata }) => [publicId, metadata]));
  }
}
