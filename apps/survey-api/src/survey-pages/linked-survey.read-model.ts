import { Injectable } from '@nestjs/common';
import {
  booleanColumn,
  byteaColumn,
  type Columns,
  jsonColumn,
  nullable,
  type RowOf,
  Statement,
  textColumn,
} from '@cxp/storage';
import { organizationWork } from '@cxp/service-kit';
import { LRUCache } from 'lru-cache';
import { EntityManager } from 'typeorm';
import type { CampaignStatus } from '@cxp/platform-records';
import type { Logo } from '../brand/organization-settings';
import type { JsonObject, SurveyQuestion } from '../campaigns/survey-question';
import { MAX_PAGE_METADATA_BYTES, type MetadataAssociation } from '../links/link.dto';

/** The survey that a link leads to, as it is now. */
export type LinkedSurvey = RowOf<typeof LINKED_SURVEY> & { readonly organizationId: string };

const LINKED_SURVEY = {
  campaignId: textColumn('campaign.id'),
  name: textColumn('campaign.name'),
  status: textColumn<CampaignStatus>('campaign.status'),
  questions: jsonColumn<readonly SurveyQuestion[]>('campaign.questions'),
  brandName: nullable(textColumn('settings.brand_name')),
  brandColor: nullable(textColumn('settings.brand_color')),
  hasLogo: booleanColumn('settings.logo IS NOT NULL'),
  /** Of the link: another one once an erasure has taken values out of it. */
  mappingKey: byteaColumn('link.mapping_key'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
  /** By the ids of the mapping. */
  variables: nullable(
    jsonColumn<Readonly<Record<string, string>>>(`(
      SELECT json_object_agg(id, variable) FROM survey.metadata_field
      WHERE organization_id = $1 AND id = ANY (
        SELECT (entry ->> 'metadata_id')::bigint FROM json_array_elements(link.metadata_mapping) AS entry
      )
    )`),
  ),
};

const LOGO = {
  type: nullable(textColumn<Logo['type']>('settings.logo_type')),
  bytes: nullable(byteaColumn('settings.logo')),
};

/** $1 organization, $2 public id. A link with too much metadata has no page. */
const OF_LINK = `FROM survey.link
   JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = link.campaign_id
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   WHERE link.organization_id = $1 AND link.public_id = $2
     AND octet_length(link.metadata_mapping::text) <= ${MAX_PAGE_METADATA_BYTES}`;

const FIND_LINKED_SURVEY = new Statement(LINKED_SURVEY, (list) => `SELECT ${list} ${OF_LINK}`, 'prepared');
const FIND_LOGO = new Statement(LOGO, (list) => `SELECT ${list} ${OF_LINK}`, 'prepared');

/** $1 public id, which is all that a respondent has. */
const FIND_ORGANIZATION = new Statement(
  { organizationId: textColumn('organization_id') },
  (list) => `SELECT ${list} FROM survey.link_address WHERE public_id = $1`,
  'prepared',
);

/** 128 bits in base64url. */
const PUBLIC_ID = /^[\w-]{22}$/;

@Injectable()
export class LinkedSurveyReadModel {
  /** By public id, which never changes hands: a page and its answers look it up once. */
  private readonly organizations = new LRUCache<string, string>({ max: 10_000 });

  constructor(private readonly manager: EntityManager) {}

  find(publicId: string): Promise<LinkedSurvey | undefined> {
    return this.first(FIND_LINKED_SURVEY, publicId);
  }

  /** The logo of the organization of a link; undefined without such a link or logo. */
  async findLogo(publicId: string): Promise<Logo | undefined> {
    const found = await this.first(FIND_LOGO, publicId);
    return found?.type && found.bytes ? { type: found.type, bytes: found.bytes } : undefined;
  }

  private async first<OfLink extends Columns>(
    statement: Statement<OfLink>,
    publicId: string,
  ): Promise<(RowOf<OfLink> & { readonly organizationId: string }) | undefined> {
    const organizationId = await this.organizationOf(publicId);
    if (organizationId === undefined) return undefined;
    const found = await organizationWork.run(organizationId, () =>
      statement.first(this.manager, [organizationId, publicId]),
    );
    return found && { ...found, organizationId };
  }

  private async organizationOf(publicId: string): Promise<string | undefined> {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const known = this.organizations.get(publicId);
    if (known !== undefined) return known;
    const found = await FIND_ORGANIZATION.first(this.manager, [publicId]);
    if (found) this.organizations.set(publicId, found.organizationId);
    return found?.organizationId;
  }
}

/** What the responses of a link have as `metadata_mappings`, by metadata variable. */
export function metadataOf({ mapping, variables }: LinkedSurvey): JsonObject | null {
  const entries = mapping.flatMap(({ metadata_id, value }) => {
    const variable = variables?.[metadata_id];
    return variable === undefined ? [] : [[variable, value] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
