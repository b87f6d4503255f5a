import { Injectable } from '@nestjs/common';
import { PreparedStatement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { CampaignStatus } from '@cxp/platform-records';
import type { SurveyQuestion } from '../campaigns/survey-question';

/** The survey that a link leads to, as it is now. */
export interface LinkedSurvey {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly questions: readonly SurveyQuestion[];
}

export const FIND_LINKED_SURVEY = new PreparedStatement<LinkedSurvey>(
  'find linked survey',
  `SELECT link.organization_id AS "organizationId", link.campaign_id AS "campaignId",
     campaign.name, campaign.status, campaign.questions
   FROM survey.link
   JOIN survey.campaign ON campaign.organization_id = link.organization_id AND campaign.id = link.campaign_id
   WHERE link.public_id = $1`,
);

/** As links are made: 128 random bits. */
const PUBLIC_ID = /^[\w-]{22}$/;

@Injectable()
export class LinkedSurveyReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** Finds the survey of a link of any organization: its public id is all that a respondent has. */
  async find(publicId: string): Promise<LinkedSurvey | undefined> {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const [survey] = await FIND_LINKED_SURVEY.run(this.manager, [publicId]);
    return survey;
  }
}
