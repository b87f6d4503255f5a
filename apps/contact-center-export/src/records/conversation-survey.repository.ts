import type { EntityManager } from 'typeorm';
import { lastByKey } from './latest-by-key';
import type { ConversationSurveyData } from './record-data';

export class ConversationSurveyRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the ids of the conversations whose rows can have changed */
  async store(records: readonly ConversationSurveyData[]): Promise<string[]> {
    const surveys = lastByKey(records).map(
      ({ id, conversationId, rating, resolution, feedback, submittedAt }) => ({
        id,
        conversation_id: conversationId,
        rating,
        resolution,
        feedback: feedback ?? '',
        submitted_at: Date.parse(submittedAt),
      }),
    );
    const touched = await this.manager.query<{ conversation_id: string }[]>(
      `WITH record AS (
         SELECT * FROM json_to_recordset($2) AS record (
           id text, conversation_id text, rating bigint, resolution smallint, feedback text, submitted_at float8
         )
       ), stored AS (
         INSERT INTO contact_center.conversation_survey (
           organization_id, id, conversation_id, rating, resolution, feedback, submitted_at
         )
         SELECT $1, id, conversation_id, rating, resolution, feedback, to_timestamp(submitted_at / 1000) FROM record
         ON CONFLICT (organization_id, id) DO UPDATE SET
           conversation_id = excluded.conversation_id,
           rating = excluded.rating,
           resolution = excluded.resolution,
           feedback = excluded.feedback,
           submitted_at = excluded.submitted_at
       )
       SELECT conversation_id FROM record
       UNION
       SELECT replaced.conversation_id
       FROM record CROSS JOIN LATERAL (
         SELECT * FROM contact_center.conversation_survey WHERE organization_id = $1 AND id = record.id OFFSET 0
       ) AS replaced`,
      [this.organizationId, JSON.stringify(surveys)],
    );
    return touched.map(({ conversation_id }) => conversation_id);
  }
}
