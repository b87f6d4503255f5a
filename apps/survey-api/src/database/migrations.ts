import { addRemovalReasons, createChangeFeedTables, simplifyHintTable } from '@cxp/change-feed';
import { createErasureTables, keepErasuresApart } from '@cxp/erasure';
import { createBucketTable } from '@cxp/pagination';
import { createJsonBytes } from '@cxp/storage';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSurvey1764000300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;

      CREATE TABLE survey.organization_settings (
        organization_id text COLLATE "C" PRIMARY KEY,
        max_survey_links_per_campaign integer,
        brand_name text,
        brand_color text,
        logo_type text,
        logo bytea
      );

      CREATE TABLE survey.metadata_field (
        organization_id text COLLATE "C",
        id bigint,
        name text NOT NULL,
        variable text NOT NULL,
        PRIMARY KEY (organization_id, id),
        -- Checked after each statement, so that one batch of records can swap two variables.
        CONSTRAINT metadata_field_variable_unique UNIQUE (organization_id, variable) DEFERRABLE
      );

      ${createJsonBytes('survey')}

      -- 'awaited' is a campaign that responses name but whose own record has not arrived: nothing shows it.
      CREATE TABLE survey.campaign (
        organization_id text COLLATE "C",
        id uuid,
        status text NOT NULL CHECK (status IN ('awaited', 'draft', 'active', 'inactive', 'deleted')),
        name text NOT NULL DEFAULT '',
        touchpoints json NOT NULL DEFAULT '[]',
        questions json NOT NULL DEFAULT '[]',
        bytes integer NOT NULL GENERATED ALWAYS AS (survey.json_bytes(questions) + octet_length(name)) STORED,
        recorded_interaction_at timestamptz,
        response_interaction_at timestamptz,
        last_interacted_at timestamptz
          GENERATED ALWAYS AS (GREATEST(recorded_interaction_at, response_interaction_at)) STORED,
        PRIMARY KEY (organization_id, id)
      -- Questions are kept out of line: counting and searching campaigns reads narrow rows.
      ) WITH (toast_tuple_target = 256);
      CREATE INDEX campaign_list
        ON survey.campaign (organization_id, last_interacted_at DESC NULLS LAST, id) INCLUDE (status);
      -- Each status is written once for all its campaigns: a list's total is counted over a fraction of the table's pages.
      CREATE INDEX campaign_count ON survey.campaign (organization_id, status);

      -- Apart from survey.campaign: each response moves its campaign's latest interaction, and must not write the name's trigrams again.
      CREATE TABLE survey.campaign_name (
        organization_id text COLLATE "C",
        id uuid,
        searchable_name text NOT NULL,
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX campaign_search
        ON survey.campaign_name USING gin (organization_id, searchable_name gin_trgm_ops) WITH (fastupdate = off);

      CREATE TABLE survey.response (
        organization_id text COLLATE "C",
        identifier uuid,
        campaign_id uuid NOT NULL,
        sent_at timestamptz(3),
        sending_failed_at timestamptz(3),
        opened_at timestamptz(3),
        answered_at timestamptz(3),
        earliest_at timestamptz(3) NOT NULL
          GENERATED ALWAYS AS (LEAST(sent_at, sending_failed_at, opened_at, answered_at)) STORED,
        user_name text,
        user_phone text,
        user_email text,
        source text,
        transaction_id text,
        tags json NOT NULL,
        metadata_mappings json,
        answers json,
        bytes integer NOT NULL GENERATED ALWAYS AS (
          survey.json_bytes(answers) + survey.json_bytes(metadata_mappings) + survey.json_bytes(tags)
          + coalesce(octet_length(user_name), 0) + coalesce(octet_length(user_phone), 0)
          + coalesce(octet_length(user_email), 0) + coalesce(octet_length(source), 0)
          + coalesce(octet_length(transaction_id), 0)
        ) STORED,
        -- The number of the last change; 0 until the end of the transaction. Null if the campaign is 'awaited' or 'deleted': the
        -- response is not in the feed.
        change bigint,
        -- Of the row as the feed answers it.
        digest bigint NOT NULL,
        -- What leads to it of a person: personKeysOfResponse.
        person_keys text[] NOT NULL DEFAULT '{}',
        PRIMARY KEY (organization_id, identifier)
      );
      CREATE INDEX response_person ON survey.response USING gin (person_keys);
      CREATE INDEX response_window ON survey.response (organization_id, campaign_id, earliest_at, identifier);
      CREATE INDEX response_change ON survey.response (organization_id, change) WHERE change IS NOT NULL;

      ${createChangeFeedTables('survey')}
      ${addRemovalReasons('survey')}

      -- Counts the responses of a campaign from its start to the start of the next block, in the order of pages.
      -- Each day (UTC+7) that has responses begins with a block; a block that grows large is split.
      CREATE TABLE survey.response_block (
        organization_id text COLLATE "C",
        campaign_id uuid,
        starts_at timestamptz(3),
        starts_with uuid,
        responses integer NOT NULL,
        -- The XOR of theirs.
        digest bigint NOT NULL,
        -- The greatest of theirs. Null within a transaction that has yet to find it.
        last_change bigint,
        PRIMARY KEY (organization_id, campaign_id, starts_at, starts_with)
      );

      CREATE TABLE survey.link (
        organization_id text COLLATE "C",
        id bigint GENERATED ALWAYS AS IDENTITY,
        public_id text NOT NULL,
        campaign_id uuid NOT NULL,
        mapping_key bytea NOT NULL,
        name text NOT NULL,
        metadata_mapping json NOT NULL,
        person_keys text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, id),
        CONSTRAINT link_mapping_unique UNIQUE (organization_id, campaign_id, mapping_key)
      );
      CREATE INDEX link_person ON survey.link USING gin (person_keys);
      CREATE UNIQUE INDEX link_public_id ON survey.link (organization_id, public_id);

      -- Whose link a public id is. On Citus a reference table: a respondent knows no organization.
      CREATE TABLE survey.link_address (
        public_id text COLLATE "C" PRIMARY KEY,
        organization_id text COLLATE "C" NOT NULL
      );

      ${createErasureTables('survey')}    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA survey CASCADE');
  }
}

/** Responses are counted in buckets instead of blocks, and each of them has a number: the feed has those of all campaigns. */
export class CountResponsesInBuckets1764030000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION IF EXISTS survey.submit(text, json, text[], bytea[], text, text);
      DROP FUNCTION IF EXISTS survey.store_submissions(text, json, text[], bytea[]);
      DROP TABLE survey.response_block;

      ${createBucketTable('survey')}
      INSERT INTO survey.bucket (organization_id, list, starts_at, rows, digest)
      SELECT organization_id, campaign_id::text, date_bin('15 minutes', earliest_at, 'epoch'), count(*), bit_xor(digest)
      FROM survey.response GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

      DELETE FROM survey.change_removal AS removal USING survey.response
      WHERE removal.organization_id = response.organization_id AND response.change IS NULL
        AND op = 'delete' AND key = '{"identifier":"' || identifier || '"}';
      WITH unnumbered AS (
        SELECT organization_id, identifier, row_number() OVER (PARTITION BY organization_id ORDER BY earliest_at) AS place
        FROM survey.response WHERE change IS NULL
      ), feed AS (
        INSERT INTO survey.change_feed AS feed (organization_id, last)
        SELECT organization_id, max(place) FROM unnumbered GROUP BY organization_id
        ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last
        RETURNING organization_id, last
      )
      UPDATE survey.response SET change = feed.last + 1 - place
      FROM unnumbered JOIN feed USING (organization_id)
      WHERE response.organization_id = unnumbered.organization_id AND response.identifier = unnumbered.identifier;
      -- The index of changes stays partial: only statements that ask for changes use it, and none to find all rows of an organization.
      ALTER TABLE survey.response ALTER COLUMN change SET NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE survey.bucket');
  }
}

/** Webhook endpoints need neither a place nor a lease any more. */
export class SimplifyHints1764041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(simplifyHintTable('survey'));
  }

  async down(): Promise<void> {}
}

/** A page of campaigns is one value: nothing asks how large a campaign is. */
export class DropCampaignBytes1764042000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE survey.campaign DROP COLUMN bytes');
  }

  async down(): Promise<void> {}
}

/** Keys of fields of links have a new form: those in the old one stay for processes of the release before. */
export class KeepErasuresApart1764050000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      INSERT INTO survey.erased_key (organization_id, type, id, mode, erasure_id)
      SELECT organization_id, 'metadata_value', 'link:' || id, mode, erasure_id
      FROM survey.erased_key WHERE type = 'survey_link' ON CONFLICT DO NOTHING;
      ${keepErasuresApart('survey', ['survey_response', 'metadata_value'])}
      UPDATE survey.erasure_keys SET type = 'metadata_value', ids = ARRAY(SELECT 'link:' || id FROM unnest(ids) AS id)
      WHERE type = 'survey_link';
    `);
  }

  async down(): Promise<void> {}
}

/**
 * Responses are ordered and compared to the microsecond. Their times keep milliseconds, which answers show: `earliest_at` is generated from them,
 * so that another type of theirs would rewrite the table.
 */
export class KeepMicroseconds1764060000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `ALTER TABLE survey.response
         ADD COLUMN IF NOT EXISTS earliest_microseconds smallint NOT NULL DEFAULT 0,
         ADD COLUMN IF NOT EXISTS latest_microseconds smallint NOT NULL DEFAULT 0`,
      'DROP INDEX CONCURRENTLY IF EXISTS survey.response_new_window',
      `CREATE INDEX CONCURRENTLY response_new_window ON survey.response
         (organization_id, campaign_id, earliest_at, earliest_microseconds, identifier)`,
      'DROP INDEX CONCURRENTLY IF EXISTS survey.response_window',
      'ALTER INDEX survey.response_new_window RENAME TO response_window',
    ])
      await queryRunner.query(statement);
  }

  async down(): Promise<void> {}
}

/** Oldest first. */
export const migrations = [
  CreateSurvey1764000300000,
  CountResponsesInBuckets1764030000000,
  SimplifyHints1764041000000,
  DropCampaignBytes1764042000000,
  KeepErasuresApart1764050000000,
  KeepMicroseconds1764060000000,
];
