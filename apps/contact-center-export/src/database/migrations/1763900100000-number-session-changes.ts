import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createChangeFeedTables } from '@cxp/change-feed';

/**
 * Rows get the number of their last change and their digest. Both are null for rows of the release before, which does not
 * know the columns: the job of the change feed projects their conversations again, and so numbers them. What that release
 * deletes, and a schedule that it stores, are announced by triggers, which do nothing for a transaction that assigns numbers.
 */
export class NumberSessionChanges1763900100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${createChangeFeedTables('contact_center')}

      ALTER TABLE contact_center.conversation_session ADD COLUMN change bigint, ADD COLUMN digest bigint;

      -- Only of everyone's counts by the hour: the XOR of the rows' digests, and the greatest number among the rows, null if it
      -- has to be looked up.
      ALTER TABLE contact_center.session_count
        ADD COLUMN digest bigint NOT NULL DEFAULT 0, ADD COLUMN last_change bigint;

      -- A removal that carried an updatedAt: older upserts of its key are ignored while it is kept.
      CREATE TABLE contact_center.record_removal (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        key text COLLATE "C",
        updated_at timestamptz(3) NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (organization_id, type, key)
      );
      CREATE INDEX record_removal_age ON contact_center.record_removal (recorded_at);

      CREATE FUNCTION contact_center.announce_removed_session() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO contact_center.change_removal (organization_id, op, key)
        VALUES (
          OLD.organization_id,
          'delete',
          format(
            '{"conversationId":%s,"sessionIndex":%s,"ticketId":%s}',
            to_json(OLD.conversation_id),
            coalesce(nullif(OLD.session_index, 2147483647)::text, 'null'),
            coalesce(nullif(OLD.ticket_id, -9223372036854775808)::text, 'null')
          )
        )
        ON CONFLICT (organization_id, op, key) DO UPDATE SET change = NULL, recorded_at = excluded.recorded_at;
        UPDATE contact_center.session_count SET digest = digest # OLD.digest, last_change = NULL
        WHERE organization_id = OLD.organization_id AND agent_id = 0 AND hours = 1
          AND starts_at = date_bin('1 hour', OLD.conversation_updated_at, 'epoch');
        RETURN NULL;
      END $$;
      CREATE TRIGGER announce_removed_session AFTER DELETE ON contact_center.conversation_session
      FOR EACH ROW
      WHEN (OLD.change IS NOT NULL AND current_setting('change_feed.numbers_changes', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION contact_center.announce_removed_session();

      CREATE FUNCTION contact_center.announce_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO contact_center.change_removal (organization_id, op, key)
        VALUES (NEW.organization_id, 'resync', 'human_schedule')
        ON CONFLICT (organization_id, op, key) DO UPDATE SET change = NULL, recorded_at = excluded.recorded_at;
        RETURN NULL;
      END $$;
      CREATE TRIGGER announce_schedule AFTER INSERT OR UPDATE ON contact_center.human_schedule
      FOR EACH ROW
      WHEN (current_setting('change_feed.numbers_changes', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION contact_center.announce_schedule();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER announce_schedule ON contact_center.human_schedule;
      DROP TRIGGER announce_removed_session ON contact_center.conversation_session;
      DROP FUNCTION contact_center.announce_schedule, contact_center.announce_removed_session;
      DROP TABLE contact_center.record_removal, contact_center.change_removal, contact_center.change_feed,
        contact_center.change_epoch;
      ALTER TABLE contact_center.session_count DROP COLUMN digest, DROP COLUMN last_change;
      ALTER TABLE contact_center.conversation_session DROP COLUMN change, DROP COLUMN digest;
    `);
  }
}
