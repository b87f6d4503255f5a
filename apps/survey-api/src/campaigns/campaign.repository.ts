import { Injectable } from '@nestjs/common';
import { jsonColumn, Statement, textColumn, withPauses, withRepository } from '@cxp/storage';
import { Check, Column, Entity, EntityManager, Index, Not, PrimaryColumn } from 'typeorm';
import {
  type CampaignStatus,
  lastByKey,
  type SurveyCampaignData,
  type SurveyLanguage,
  type SurveyQuestionData,
  utcTime,
} from '@cxp/records';
import { searchableName } from './campaign-list.read-model';
import { questionsById, type QuestionsById, type SurveyQuestion } from './survey-question';

@Entity({ schema: 'survey', name: 'campaign' })
// Only SQL can describe these indexes.
@Index('campaign_list', { synchronize: false })
@Index('campaign_count', { synchronize: false })
@Check('campaign_language_check', `language IN ('vi', 'en')`)
@Check('campaign_status_check', `status IN ('awaited', 'draft', 'active', 'inactive', 'deleted')`)
export class Campaign {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('uuid')
  readonly id!: string;

  /** Responses name it and its own record has not arrived. No answer shows it. */
  @Column('text')
  readonly status!: CampaignStatus | 'awaited';

  @Column('text', { default: '' })
  readonly name!: string;

  @Column('text', { nullable: true })
  readonly language!: SurveyLanguage | null;

  @Column('json', { default: [] })
  readonly touchpoints!: readonly string[];

  @Column('json', { default: [] })
  readonly questions!: readonly SurveyQuestion[];

  @Column('timestamptz', { name: 'recorded_interaction_at', nullable: true, select: false })
  readonly recordedInteractionAt?: Date | null;

  @Column('timestamptz', { name: 'response_interaction_at', nullable: true, select: false })
  readonly responseInteractionAt?: Date | null;

  @Column({
    type: 'timestamptz',
    name: 'last_interacted_at',
    nullable: true,
    select: false,
    generatedType: 'STORED',
    asExpression: 'GREATEST(recorded_interaction_at, response_interaction_at)',
  })
  readonly lastInteractedAt?: Date | null;
}

export type CampaignRecord = ReturnType<typeof completeCampaign>;

/** The stored form: uuids in lower case, times in UTC, every field present. */
export function completeCampaign(sent: SurveyCampaignData) {
  return {
    id: sent.id.toLowerCase(),
    name: sent.name,
    status: sent.status,
    language: sent.language ?? null,
    last_interacted_at: sent.last_interacted_at ? utcTime(sent.last_interacted_at) : null,
    touchpoints: sent.touchpoints ?? [],
    survey_questions: (sent.survey_questions ?? []).map(completeQuestion) as readonly SurveyQuestion[],
  };
}

function completeQuestion(sent: SurveyQuestionData): SurveyQuestion {
  return {
    id: sent.id,
    type: sent.type,
    metric_type: sent.metric_type ?? null,
    title: sent.title,
    option_titles_by_id: sent.option_titles_by_id ?? null,
    row_titles_by_id: sent.row_titles_by_id ?? null,
    column_titles: sent.column_titles ?? null,
  };
}

/** SQL: whether there is such a campaign of the organization. A deleted one counts, one whose record has not arrived does not. */
export function isKnownCampaign(id: string): string {
  return `EXISTS (SELECT FROM survey.campaign WHERE organization_id = $organizationId AND id = ${id} AND status <> 'awaited')`;
}

const FIND_QUESTIONS = new Statement(
  { organizationId: 'text', ids: 'uuid[]' },
  { id: textColumn('id'), questions: jsonColumn<readonly SurveyQuestion[]>('questions') },
  (list) =>
    `SELECT ${list} FROM survey.campaign WHERE organization_id = $organizationId AND id = ANY ($ids) AND status <> 'awaited'`,
);

const STORE_ALL = new Statement(
  { organizationId: 'text', records: 'json' },
  {},
  `WITH record AS MATERIALIZED (
     SELECT * FROM json_to_recordset($records) AS record (
       id uuid, status text, name text, searchable_name text, language text, touchpoints json, survey_questions json,
       last_interacted_at timestamptz
     )
   ), named AS (
     INSERT INTO survey.campaign_name AS known (organization_id, id, searchable_name)
     SELECT $organizationId, id, searchable_name FROM record
     ON CONFLICT (organization_id, id) DO UPDATE SET searchable_name = EXCLUDED.searchable_name
     WHERE known.searchable_name <> EXCLUDED.searchable_name
   )
   INSERT INTO survey.campaign (organization_id, id, status, name, language, touchpoints, questions, recorded_interaction_at)
   SELECT $organizationId, id, status, name, language, touchpoints, survey_questions, last_interacted_at FROM record
   ON CONFLICT (organization_id, id) DO UPDATE SET
     status = EXCLUDED.status,
     name = EXCLUDED.name,
     language = EXCLUDED.language,
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

  /** By campaign. A campaign whose record has not arrived has none. */
  async questionsOf(
    organizationId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, QuestionsById>> {
    const found = await FIND_QUESTIONS.run(this.manager, { organizationId, ids });
    return new Map(found.map(({ id, questions }) => [id, questionsById(questions)]));
  }

  async storeAll(organizationId: string, records: readonly CampaignRecord[]): Promise<void> {
    const rows: object[] = [];
    // A name of 1,000 combining characters takes a millisecond.
    for await (const record of withPauses(lastByKey(records, ({ id }) => id))) {
      rows.push({ ...record, searchable_name: searchableName(record.name) });
    }
    await STORE_ALL.run(this.manager, { organizationId, records: JSON.stringify(rows) });
  }
}

/**
 * Moves the latest interactions of campaigns forward, never back, to those of a CTE `interaction (campaign_id, interacted_at)`.
 * A campaign whose record has not arrived becomes awaited.
 */
export const NOTE_INTERACTIONS = `
  INSERT INTO survey.campaign AS campaign (organization_id, id, status, response_interaction_at)
  SELECT $organizationId, campaign_id, 'awaited', max(interacted_at) FROM interaction GROUP BY campaign_id
  ON CONFLICT (organization_id, id) DO UPDATE SET response_interaction_at = EXCLUDED.response_interaction_at
  WHERE campaign.response_interaction_at IS NULL
     OR campaign.response_interaction_at < EXCLUDED.response_interaction_at`;
