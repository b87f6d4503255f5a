import { Injectable } from '@nestjs/common';
import { PreparedStatement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { CampaignStatus } from '@cxp/platform-records';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { JsonObject } from '../responses/answers';

/** The survey that a link leads to, as it is now. */
export interface LinkedSurvey {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly questions: readonly SurveyQuestion[];
  /** Whether the link has values for metadata fields. */
  readonly hasMetadata: boolean;
}

export const FIND_LINKED_SURVEY = new PreparedStatement<LinkedSurvey>(
  'find linked survey',
  `SELECT link.organization_id AS "organizationId", link.campaign_id AS "campaignId",
     campaign.name, campaign.status, campaign.questions, json_array_length(link.metadata_mapping) > 0 AS "hasMetadata"
   FROM survey.link
   JOIN survey.campaign ON campaign.organization_id = link.organization_id AND campaign.id = link.campaign_id
   WHERE link.public_id = $1`,
);

/** $1 public id. Values by metadata variable, as responses hold them. */
const FIND_LINK_METADATA = new PreparedStatement<{ metadata: JsonObject | null }>(
  'find metadata of a link',
  `SELECT json_object_agg(field.variable, entry -> 'value') AS metadata
   FROM survey.link
   CROSS JOIN json_array_elements(link.metadata_mapping) AS entry
   JOIN survey.metadata_field AS field
     ON field.organization_id = link.organization_id AND field.id = (entry ->> 'metadata_id')::bigint
   WHERE link.public_id = $1`,
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
    const [survey] = await FIND_LINKED_SURVEY.run(this.manager, [publicId]);
    return survey;
  }

  /** What the responses of a link have as `metadata_mappings`. */
  async findMetadata(publicId: string): Promise<JsonObject | null> {
    const [found] = await FIND_LINK_METADATA.run(this.manager, [publicId]);
    return found!.metadata;
  }
}
