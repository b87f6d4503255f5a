import { createChangeFeedTables } from '@cxp/change-feed';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expands only: each new column is nullable, `change` becomes nullable, and triggers do what writers of previous releases
 * leave undone. They need not know the feed.
 */
export class AnnounceResponseChanges1763820000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${createChangeFeedTables('survey')}

      ALTER TABLE survey.response
        -- The number of the last change in the feed; null if the response is not in the feed.
        ADD COLUMN feed_change bigint,
        -- Of the row as the feed answers it; null if the response is not in the feed.
        ADD COLUMN digest bigint,
        -- The value of "change" that the feed has been told of. Any other value means: to be announced.
        ADD COLUMN announced_change bigint,
        -- Writers of releases before 1763800000000 do not know it.
        ALTER COLUMN change DROP NOT NULL;

      CREATE INDEX response_feed_order ON survey.response (organization_id, feed_change) WHERE feed_change IS NOT NULL;
      -- With what the digests of a window are made of.
      DROP INDEX survey.response_window;
      CREATE INDEX response_window ON survey.response (organization_id, campaign_id, earliest_at, identifier)
        INCLUDE (feed_change, digest);
      CREATE INDEX response_unannounced ON survey.response (organization_id, identifier)
        WHERE announced_change IS NULL OR announced_change <> change;

      -- The rows of the feed under the names that it knows.
      CREATE VIEW survey.response_feed AS
        SELECT organization_id, feed_change AS change, digest, identifier, campaign_id, sent_at, sending_failed_at,
          opened_at, answered_at, earliest_at, user_name, user_phone, user_email, source, transaction_id, tags,
          metadata_mappings, answers,
          announced_change IS NULL OR announced_change <> response.change AS is_unannounced
        FROM survey.response;

      -- The feed holds the responses of campaigns that exist and are not deleted.
      CREATE FUNCTION survey.unannounce_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE survey.response SET announced_change = NULL
        WHERE organization_id = NEW.organization_id AND campaign_id = NEW.id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER campaign_visibility AFTER UPDATE OF status ON survey.campaign FOR EACH ROW
        WHEN ((OLD.status IN ('awaited', 'deleted')) <> (NEW.status IN ('awaited', 'deleted')))
        EXECUTE FUNCTION survey.unannounce_campaign();

      -- A writer of a release before 1763800000000 replaces a response and leaves its numbers as they are.
      CREATE FUNCTION survey.unannounce_response() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.change := NULL;
        NEW.announced_change := NULL;
        RETURN NEW;
      END $$;
      CREATE TRIGGER response_unnumbered BEFORE UPDATE ON survey.response FOR EACH ROW
        WHEN (NEW.change = OLD.change AND NEW.announced_change = OLD.announced_change
          AND NEW.feed_change IS NOT DISTINCT FROM OLD.feed_change)
        EXECUTE FUNCTION survey.unannounce_response();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER response_unnumbered ON survey.response;
      DROP TRIGGER campaign_visibility ON survey.campaign;
      DROP FUNCTION survey.unannounce_response, survey.unannounce_campaign;
      DROP VIEW survey.response_feed;
      DROP INDEX survey.response_window;
      CREATE INDEX response_window ON survey.response (organization_id, campaign_id, earliest_at, identifier);
      ALTER TABLE survey.response DROP COLUMN feed_change, DROP COLUMN digest, DROP COLUMN announced_change;
      DROP TABLE survey.change_feed, survey.change_removal, survey.change_epoch;
    `);
  }
}
