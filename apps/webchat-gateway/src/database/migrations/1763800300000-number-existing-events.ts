import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Few enough that a customer who writes meanwhile waits for milliseconds. */
const BATCH_CONVERSATIONS = 200;

/**
 * Numbers the events of conversations that existed before: messages and activities by time, then read marks. Each batch is a
 * transaction of its own, so that no conversation stays locked while others are numbered. It can be run again at any time.
 */
export class NumberExistingEvents1763800300000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    let last = { organizationId: '', id: '00000000-0000-0000-0000-000000000000' };
    for (;;) {
      await queryRunner.startTransaction();
      try {
        // Locked by a statement of its own: the next one sees what was committed until then.
        const batch = (await queryRunner.query(
          `SELECT organization_id AS "organizationId", id FROM webchat.conversation
           WHERE (organization_id, id) > ($1, $2) AND last_event IS NULL
           ORDER BY organization_id, id LIMIT ${BATCH_CONVERSATIONS} FOR UPDATE`,
          [last.organizationId, last.id],
        )) as { organizationId: string; id: string }[];
        await queryRunner.query(NUMBER_EVENTS, [
          batch.map(({ organizationId }) => organizationId),
          batch.map(({ id }) => id),
        ]);
        await queryRunner.commitTransaction();
        if (batch.length === 0) return;
        last = batch.at(-1)!;
      } catch (error) {
        await queryRunner.rollbackTransaction();
        throw error;
      }
    }
  }

  async down(): Promise<void> {}
}

/** The state after an event is that after the last event, up to it, that sets it. */
const NUMBER_EVENTS = `
  WITH batch AS (
    SELECT conversation.* FROM unnest($1::text[], $2::uuid[]) AS key (organization_id, id)
    JOIN webchat.conversation USING (organization_id, id)
  ), unnumbered AS (
    SELECT message.organization_id, conversation_id, sent_at AS at, 1 AS kind, sequence AS place, 'message' AS type,
      sequence AS message_sequence, NULL AS activity_id, '{}'::jsonb AS payload,
      CASE WHEN sender_type = 'customer' THEN 'open' END AS status_set, NULL::jsonb AS agent_set
    FROM webchat.message JOIN batch ON batch.organization_id = message.organization_id AND batch.id = conversation_id
    UNION ALL
    SELECT activity.organization_id, conversation_id, occurred_at, 2, 0, 'activity', NULL, activity.id,
      jsonb_build_object(
        'id', activity.id,
        'action', action,
        'occurredAt', to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'agentName', activity.agent ->> 'name'),
      CASE
        WHEN action IN ('end_conversation', 'timed_out') THEN 'closed'
        WHEN action IN ('route_to_ai', 'route_back_to_ai', 'route_to_human', 'route_back_to_human', 'assign',
          'human_take_over') THEN 'open' END,
      CASE
        WHEN action IN ('assign', 'route_back_to_human', 'human_take_over')
          AND jsonb_typeof(activity.agent) = 'object' AND activity.agent -> 'isServiceAccount' IS DISTINCT FROM 'true'
        THEN jsonb_build_object('name', activity.agent ->> 'name')
        WHEN action IN ('assign', 'route_back_to_human', 'human_take_over', 'route_to_ai', 'route_back_to_ai',
          'route_to_human', 'route_to_rating', 'end_conversation', 'timed_out') THEN 'null' END
    FROM webchat.activity JOIN batch ON batch.organization_id = activity.organization_id AND batch.id = conversation_id
    UNION ALL
    SELECT organization_id, id, 'infinity', 3, place, 'read', NULL, NULL,
      jsonb_build_object('reader', reader, 'sequence', sequence), NULL, NULL
    FROM batch CROSS JOIN LATERAL (
      VALUES (1, 'customer', customer_read_sequence), (2, 'agent', agent_read_sequence)) AS mark (place, reader, sequence)
    WHERE sequence > 0
  ), numbered AS (
    SELECT *, row_number() OVER previous AS event, count(status_set) OVER previous AS status_sets,
      count(agent_set) OVER previous AS agent_sets
    FROM unnumbered
    WINDOW previous AS (PARTITION BY organization_id, conversation_id ORDER BY at, kind, place, activity_id)
  ), stated AS (
    SELECT *,
      coalesce(max(status_set) OVER (PARTITION BY organization_id, conversation_id, status_sets), 'open') AS status,
      nullif(max(agent_set::text) OVER (PARTITION BY organization_id, conversation_id, agent_sets), 'null')::jsonb AS agent
    FROM numbered
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, type, message_sequence, payload)
    SELECT organization_id, conversation_id, event, type, message_sequence, payload || CASE type
      WHEN 'message' THEN jsonb_build_object('status', status)
      WHEN 'activity' THEN jsonb_build_object('status', status, 'agent', agent)
      ELSE '{}' END
    FROM stated
  ), activity AS (
    UPDATE webchat.activity SET event = stated.event
    FROM stated
    WHERE activity.organization_id = stated.organization_id AND activity.id = stated.activity_id
  ), last AS (
    SELECT DISTINCT ON (organization_id, conversation_id) organization_id, conversation_id, event, agent
    FROM stated ORDER BY organization_id, conversation_id, event DESC
  )
  UPDATE webchat.conversation SET last_event = coalesce(last.event, 0), agent = last.agent
  FROM batch LEFT JOIN last ON last.organization_id = batch.organization_id AND last.conversation_id = batch.id
  WHERE conversation.organization_id = batch.organization_id AND conversation.id = batch.id`;
