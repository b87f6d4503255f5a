import { Injectable } from '@nestjs/common';
import { inPieces, jsonColumn, Statement, textColumn, withRepository, yieldToEventLoop } from '@cxp/storage';
import { EntityManager, Not } from 'typeorm';
import { lastByKey } from '@cxp/records';
import { Campaign } from './campaign.entity';
import type { CampaignRecord } from './campaign-record';
import { searchableName } from './searchable-name';
import { questionsById, type QuestionsById, type SurveyQuestion } from './survey-question';

const FIND_QUESTIONS = new Statement(
  { id: textColumn('id'), questions: jsonColumn<readonly SurveyQuestion[]>('questions') },
  (list) =>
    `SELECT ${list} FROM survey.campaign WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND status <> 'awaited'`,
);

/** The largest campaigns have 128 KiB of questions each. */
const CAMPAIGNS_AT_ONCE = 100;

/** Names normalised between two pauses of the event loop: one of 1,000 combining characters takes a millisecond. */
const NAMES_OF_A_TURN = 20;

const STORE_ALL = new Statement(
  {},
  `WITH record AS MATERIALIZED (
     SELECT * FROM json_to_recordset($2) AS record (
       id uuid, status text, name text, searchable_name text, touchpoints json, survey_questions json,
       last_interacted_at timestamptz
     )
   ), named AS (
     INSERT INTO survey.campaign_name AS known (organization_id, id, searchable_name)
     SELECT $1, id, searchable_name FROM record
     ON CONFLICT (organization_id, id) DO UPDATE SET searchable_name = EXCLUDED.searchable_name
     WHERE known.searchable_name <> EXCLUDED.searchable_name
   )
   INSERT INTO survey.campaign (organization_id, id, status, name, touchpoints, questions, recorded_interaction_at)
   SELECT $1, id, status, name, touchpoints, survey_questions, last_interacted_at FROM record
   ON CONFLICT (organization_id, id) DO UPDATE SET
     status = EXCLUDED.status,
     name = EXCLUDED.name,
     touchpoints = EXCLUDED.touchpoints,
     questions = EXCLUDED.questions,
     recorded_interaction_at = EXCLUDED.recorded_interaction_at`,
);

@Injectable()
export class CampaignRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Also finds deleted campaigns, but none whose record has not arrived. */
  find(organizationId: string, id: string): Promise<Campaign | null> {
    return withRepository(Campaign, this.manager, organizationId, (campaigns) =>
      campaigns.findOneBy({ organizationId, id, status: Not('awaited') }),
    );
  }

  /** Also counts deleted campaigns, but none whose record has not arrived. */
  exists(organizationId: string, id: string): Promise<boolean> {
    return withRepository(Campaign, this.manager, organizationId, (campaigns) =>
      campaigns.existsBy({ organizationId, id, status: Not('awaited') }),
    );
  }

  /**
   * Adds the questions of the items' campaigns, in batches. A campaign whose record has not arrived has none.
   * @param campaignOf an item's campaign
   */
  async *withQuestions<Item>(
    organizationId: string,
    items: readonly Item[],
    campaignOf: (item: Item) => string,
  ): AsyncGenerator<{
    readonly some: readonly Item[];
    readonly questions: ReadonlyMap<string, QuestionsById>;
  }> {
    for (const ids of inPieces([...new Set(items.map(campaignOf))], CAMPAIGNS_AT_ONCE)) {
      const found = await FIND_QUESTIONS.run(this.manager, [organizationId, ids]);
      const some = new Set(ids);
      yield {
        some: items.filter((item) => some.has(campaignOf(item))),
        questions: new Map(found.map(({ id, questions }) => [id, questionsById(questions)])),
      };
    }
  }

  async storeAll(organizationId: string, records: readonly CampaignRecord[]): Promise<void> {
    const rows: (CampaignRecord & { searchable_name: string })[] = [];
    for (const some of inPieces(
      lastByKey(records, ({ id }) => id),
      NAMES_OF_A_TURN,
    )) {
      await yieldToEventLoop();
      rows.push(...some.map((record) => ({ ...record, searchable_name: searchableName(record.name) })));
    }
    await STORE_ALL.run(this.manager, [organizationId, JSON.stringify(rows)]);
  }
}

/**
 * Moves the latest interactions of campaigns forward, never back, to those of a CTE `interaction (campaign_id, interacted_at)`.
 * A campaign whose record has not arrived becomes awaited.
 */
export const NOTE_INTERACTIONS = `
  INSERT INTO survey.campaign AS campaign (organization_id, id, status, response_interaction_at)
  SELECT $1, campaign_id, 'awaited', max(interacted_at) FROM interaction GROUP BY campaign_id
  ON CONFLICT (organization_id, id) DO UPDATE SET response_interaction_at = EXCLUDED.response_interaction_at
  WHERE campaign.response_interaction_at IS NULL
     OR campaign.response_interaction_at < EXCLUDED.response_interaction_at`;
