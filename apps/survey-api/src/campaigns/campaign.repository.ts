import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { lastByKey } from '@cxp/platform-records';
import type { CampaignStatus } from '@cxp/platform-records';
import { searchableName } from './searchable-name';
import type { SurveyQuestion } from './survey-question';

/** A campaign as its record describes it. */
export interface CampaignRecord {
  readonly id: string;
  readonly name: string;
  readonly status: CampaignStatus;
  /** ISO 8601. */
  readonly last_interacted_at: string | null;
  readonly touchpoints: readonly string[];
  readonly survey_questions: readonly SurveyQuestion[];
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly touchpoints: readonly string[];
  readonly questions: readonly SurveyQuestion[];
}

@Injectable()
export class CampaignRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Finds a campaign whose record has arrived, deleted ones too. */
  async find(organizationId: string, id: string): Promise<Campaign | undefined> {
    const [campaign] = await this.manager.query<Campaign[]>(
      `SELECT id, name, status, touchpoints, questions
       FROM survey.campaign
       WHERE organization_id = $1 AND id = $2 AND status <> 'awaited'`,
      [organizationId, id],
    );
    return campaign;
  }

  /** Whether a campaign's record has arrived; deleted ones count too. */
  async exists(organizationId: string, id: string): Promise<boolean> {
    const found = await this.manager.query<unknown[]>(
      `SELECT FROM survey.campaign WHERE organization_id = $1 AND id = $2 AND status <> 'awaited'`,
      [organizationId, id],
    );
    return found.length === 1;
  }

  /** @returns the questions by campaign id, of those campaigns whose records have arrived */
  async findQuestions(
    organizationId: string,
    campaignIds: readonly string[],
  ): Promise<Map<string, readonly SurveyQuestion[]>> {
    const campaigns = await this.manager.query<Pick<Campaign, 'id' | 'questions'>[]>(
      `SELECT campaign.id, questions
       FROM unnest($2::uuid[]) AS wanted (id)
       JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = wanted.id
       WHERE status <> 'awaited'`,
      [organizationId, campaignIds],
    );
    return new Map(campaigns.map(({ id, questions }) => [id, questions]));
  }

  async storeAll(organizationId: string, records: readonly CampaignRecord[]): Promise<void> {
    const rows = lastByKey(records, ({ id }) => id).map((record) => ({
      ...record,
      searchable_name: searchableName(record.name),
    }));
    await this.manager.query(
      `INSERT INTO survey.campaign
         (organization_id, id, status, name, searchable_name, touchpoints, questions, recorded_interaction_at)
       SELECT $1, id, status, name, searchable_name, touchpoints, survey_questions, last_interacted_at
       FROM json_to_recordset($2) AS record (
         id uuid, status text, name text, searchable_name text, touchpoints json, survey_questions json,
         last_interacted_at timestamptz
       )
       ON CONFLICT (organization_id, id) DO UPDATE SET
         status = EXCLUDED.status,
         name = EXCLUDED.name,
         searchable_name = EXCLUDED.searchable_name,
         touchpoints = EXCLUDED.touchpoints,
         questions = EXCLUDED.questions,
         recorded_interaction_at = EXCLUDED.recorded_interaction_at`,
      [organizationId, JSON.stringify(rows)],
    );
  }

  /**
   * Moves the latest interaction of campaigns forward, never back. A campaign whose record has not arrived yet is
   * awaited with it.
   * @param interactions the time of an interaction (ISO 8601, UTC) by campaign id
   */
  async noteInteractions(organizationId: string, interactions: ReadonlyMap<string, string>): Promise<void> {
    await this.manager.query(
      `INSERT INTO survey.campaign AS campaign (organization_id, id, status, response_interaction_at)
       SELECT $1, id, 'awaited', interacted_at
       FROM unnest($2::uuid[], $3::timestamptz[]) AS interaction (id, interacted_at)
       ON CONFLICT (organization_id, id) DO UPDATE SET response_interaction_at = EXCLUDED.response_interaction_at
       WHERE campaign.response_interaction_at IS NULL
          OR campaign.response_interaction_at < EXCLUDED.response_interaction_at`,
      [organizationId, [...interactions.keys()], [...interactions.values()]],
    );
  }
}
