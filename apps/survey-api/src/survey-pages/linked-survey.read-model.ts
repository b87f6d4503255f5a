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
import type { MetadataAssociation } from '../links/metadata-mapping';
import { isPublicId, organizationOf } from '../links/public-id';
import type { JsonObject } from '../responses/answers';
import { erasedKeys } from '../responses/erased-keys';

/** The survey that a link leads to, as it is now. */
export type LinkedSurvey = RowOf<typeof LINKED_SURVEY> & { readonly organizationId: string };

const LINKED_SURVEY = {
  campaignId: textColumn('linked.of_campaign'),
  name: textColumn('linked.campaign_name'),
  status: textColumn<CampaignStatus>('linked.campaign_status'),
  questions: jsonColumn<readonly SurveyQuestion[]>('linked.campaign_questions'),
  brandName: nullable(textColumn('linked.brand')),
  brandColor: nullable(textColumn('linked.color')),
  hasLogo: booleanColumn('coalesce(linked.has_logo, false)'),
  /** Of the link: another one once an erasure has taken values out of it. */
  mappingKey: byteaColumn('linked.link_key'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('linked.link_mapping'),
  /** By the ids of the mapping. */
  variables: nullable(jsonColumn<Readonly<Record<string, string>>>('linked.variables')),
};

/** $1 organization, $2 public id. A link that is unknown comes as a row of nulls. */
export const FIND_LINKED_SURVEY = new Statement(
  LINKED_SURVEY,
  (list) => `SELECT ${list} FROM survey.find_linked_survey($1, $2) AS linked`,
  'prepared',
);

/** $1 organization, $2 public id. A row for each link, with a logo or without. */
const FIND_LOGO = new Statement(
  {
    type: nullable(textColumn<Logo['type']>('settings.logo_type')),
    bytes: nullable(byteaColumn('settings.logo')),
  },
  (list) => `SELECT ${list}
   FROM survey.link
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   WHERE link.organization_id = $1 AND link.public_id = $2`,
  'prepared',
);

/** $1 public id. For ids that do not say whose they are: of all shards. */
const FIND_ORGANIZATION = new Statement(
  { organizationId: textColumn('organization_id') },
  (list) => `SELECT ${list} FROM survey.link WHERE public_id = $1`,
  'prepared',
);

@Injectable()
export class LinkedSurveyReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** Finds the survey of a link of any organization: its public id is all that a respondent has. */
  async find(publicId: string): Promise<LinkedSurvey | undefined> {
    const organizationId = await this.organizationOf(publicId);
    if (organizationId === undefined) return undefined;
    const survey = await FIND_LINKED_SURVEY.first(this.manager, [organizationId, publicId]);
    return survey?.campaignId ? { ...survey, organizationId } : undefined;
  }

  /** The logo of the organization of a link; undefined without such a link or logo. */
  async findLogo(publicId: string): Promise<Logo | undefined> {
    const organizationId = await this.organizationOf(publicId);
    if (organizationId === undefined) return undefined;
    const found = await FIND_LOGO.first(this.manager, [organizationId, publicId]);
    return found?.type && found.bytes ? { type: found.type, bytes: found.bytes } : undefined;
  }

  private async organizationOf(publicId: string): Promise<string | undefined> {
    if (!isPublicId(publicId)) return undefined;
    const said = organizationOf(await erasedKeys.secretOf(this.manager), publicId);
    return said ?? (await FIND_ORGANIZATION.first(this.manager, [publicId]))?.organizationId;
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
