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

      CREATE FUNCTION survey.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
        RETURN coalesce(octet_length($1::text), 0);

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

      CREATE TABLE survey.change_feed (
        organization_id text COLLATE "C" PRIMARY KEY,
        -- The last number that was assigned. Its row is the lock under which numbers are assigned.
        last bigint NOT NULL,
        -- The greatest number of a removal that was pruned.
        pruned bigint NOT NULL DEFAULT 0
      );

      -- Keys that have no row any more (delete), and reasons to read everything again (resync).
      CREATE TABLE survey.change_removal (
        organization_id text COLLATE "C",
        op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
        -- Of a delete the key as JSON text, as it is answered; of a resync the reason.
        key text COLLATE "C",
        -- 0 until the end of the transaction.
        change bigint NOT NULL DEFAULT 0,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (organization_id, op, key)
      );
      CREATE INDEX change_removal_order ON survey.change_removal (organization_id, change);
      CREATE INDEX change_removal_age ON survey.change_removal (recorded_at) WHERE op = 'delete';

      -- One row.
      CREATE TABLE survey.change_epoch (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        -- Cursors of another epoch, or of another database, are expired.
        epoch uuid NOT NULL DEFAULT gen_random_uuid(),
        -- Used by the previous release only.
        identity text NOT NULL DEFAULT '',
        -- Authenticates cursors.
        cursor_key bytea NOT NULL,
        -- Used by the previous release only.
        maintained_at timestamptz NOT NULL DEFAULT '-infinity'
      );
      INSERT INTO survey.change_epoch (cursor_key)
      SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

      -- A hint that waits is the difference between the last change of the organization and told_change.
      CREATE TABLE survey.webhook_endpoint (
        organization_id text COLLATE "C",
        id uuid,
        -- Limits the endpoints of an organization.
        place smallint NOT NULL CHECK (place BETWEEN 1 AND 10),
        url text NOT NULL,
        description text,
        -- Encrypted. Hints are also signed with the previous secret, until it ends.
        secret text NOT NULL,
        previous_secret text,
        previous_secret_until timestamptz,
        status text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'failing', 'disabled')),
        -- The number of the last hint that the endpoint accepted, and the epoch of this number.
        told_change bigint,
        told_epoch text,
        -- Attempts that have failed since the last one that did not.
        attempts integer NOT NULL DEFAULT 0,
        failing_since timestamptz,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        last_attempt_at timestamptz,
        last_error text,
        -- The attempt that is under way, and when another process may make one.
        lease uuid,
        leased_until timestamptz NOT NULL DEFAULT '-infinity',
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (organization_id, id),
        CONSTRAINT webhook_endpoint_place UNIQUE (organization_id, place)
      );
      -- Of a delete: 'removed', 'erased' or 'expired'.
      ALTER TABLE survey.change_removal ADD COLUMN reason text COLLATE "C" NOT NULL DEFAULT 'removed';

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

      CREATE TABLE survey.erasure (
        organization_id text COLLATE "C",
        id uuid,
        mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
        subject_hash bytea,
        -- Null once the erasure is done.
        subject json,
        requested_at timestamptz(3) NOT NULL DEFAULT now(),
        erased_at timestamptz(3),
        -- How many records of each kind it has found.
        found json NOT NULL DEFAULT '{}',
        last_change bigint,
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX erasure_under_way ON survey.erasure (requested_at) WHERE subject IS NOT NULL;
      CREATE INDEX erasure_of_subject ON survey.erasure (organization_id, subject_hash);

      -- The keys of what was erased: records that have them don't come back.
      CREATE TABLE survey.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        mode text COLLATE "C" NOT NULL,
        erasure_id uuid NOT NULL,
        PRIMARY KEY (organization_id, type, id)
      );
      CREATE INDEX erased_key_of_erasure ON survey.erased_key (organization_id, erasure_id);    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA survey CASCADE');
  }
}

/** Responses are counted in buckets instead of blocks. Each has a number, because the feed covers all campaigns. */
export class CountResponsesInBuckets1764030000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION IF EXISTS survey.submit(text, json, text[], bytea[], text, text);
      DROP FUNCTION IF EXISTS survey.store_submissions(text, json, text[], bytea[]);
      DROP TABLE survey.response_block;

      CREATE TABLE survey.bucket (
        organization_id text COLLATE "C",
        list text COLLATE "C",
        -- A whole quarter of an hour in UTC.
        starts_at timestamptz(0),
        rows integer NOT NULL,
        -- The XOR of the digests of its rows.
        digest bigint NOT NULL,
        PRIMARY KEY (organization_id, list, starts_at)
      ) WITH (fillfactor = 80);
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

export class SimplifyHints1764041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE survey.webhook_endpoint DROP COLUMN place, DROP COLUMN lease, DROP COLUMN leased_until;
    `);
  }

  async down(): Promise<void> {}
}

export class DropCampaignBytes1764042000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE survey.campaign DROP COLUMN bytes');
  }

  async down(): Promise<void> {}
}

/** Keys of link fields have a new form. Old keys stay for processes of the previous release. */
export class KeepErasuresApart1764050000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      INSERT INTO survey.erased_key (organization_id, type, id, mode, erasure_id)
      SELECT organization_id, 'metadata_value', 'link:' || id, mode, erasure_id
      FROM survey.erased_key WHERE type = 'survey_link' ON CONFLICT DO NOTHING;
      ALTER TABLE survey.erasure
        ALTER COLUMN mode SET DEFAULT 'delete',
        -- Of steps that have not succeeded since the last one that has.
        ADD COLUMN attempts integer NOT NULL DEFAULT 0,
        ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now();
      ALTER TABLE survey.erased_key
        ALTER COLUMN mode SET DEFAULT 'delete',
        ALTER COLUMN erasure_id SET DEFAULT '00000000-0000-0000-0000-000000000000';
      CREATE INDEX erasure_due ON survey.erasure (next_try_at) WHERE erased_at IS NULL;

      -- The keys in a certificate, in parts: those of a step, or some of a certificate that is applied again.
      CREATE TABLE survey.erasure_keys (
        organization_id text COLLATE "C",
        erasure_id uuid,
        part integer,
        type text COLLATE "C" NOT NULL,
        ids text[] COLLATE "C" NOT NULL,
        -- It is applied again, and a step has still to erase what has these keys.
        is_left boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, erasure_id, part)
      );
      INSERT INTO survey.erasure_keys (organization_id, erasure_id, part, type, ids)
      SELECT erasure.organization_id, erasure.id, row_number() OVER (PARTITION BY erasure.organization_id, erasure.id),
        erased_key.type, array_agg(DISTINCT erased_key.id)
      FROM survey.erasure
      JOIN survey.erasure AS same ON same.organization_id = erasure.organization_id
        AND (same.id = erasure.id OR same.subject_hash = erasure.subject_hash)
      JOIN survey.erased_key ON erased_key.organization_id = same.organization_id AND erased_key.erasure_id = same.id
      WHERE erased_key.type IN ('survey_response', 'metadata_value')
      GROUP BY erasure.organization_id, erasure.id, erased_key.type;

      -- Certificates that are being applied again: their keys that are left had types of their own.
      INSERT INTO survey.erasure_keys (organization_id, erasure_id, part, type, ids, is_left)
      SELECT organization_id, split_part(type, ' of ', 2)::uuid, 1000 + row_number() OVER (PARTITION BY organization_id),
        split_part(id, ' ', 1), array_agg(substr(id, strpos(id, ' ') + 1)), true
      FROM survey.erased_key WHERE type LIKE 'new of %' OR type LIKE 'known of %'
      GROUP BY organization_id, type, split_part(id, ' ', 1);
      UPDATE survey.erasure SET subject = NULL, erased_at = NULL WHERE subject IS NOT NULL AND erased_at IS NOT NULL;
      UPDATE survey.erasure SET subject_hash = NULL WHERE subject IS NULL;
      UPDATE survey.erasure_keys SET type = 'metadata_value', ids = ARRAY(SELECT 'link:' || id FROM unnest(ids) AS id)
      WHERE type = 'survey_link';
      -- What has the keys that are left is still there: the release before kept them as erased from the beginning.
      DELETE FROM survey.erased_key USING survey.erasure_keys AS kept
      WHERE kept.is_left AND erased_key.organization_id = kept.organization_id AND erased_key.type = kept.type
        AND erased_key.id = ANY (kept.ids);
    `);
  }

  async down(): Promise<void> {}
}

/**
 * Responses are ordered and compared to the microsecond. Their times keep milliseconds, which answers show: `earliest_at` is
 * generated from them, so a new type would rewrite the table.
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

export const migrations = [
  CreateSurvey1764000300000,
  CountResponsesInBuckets1764030000000,
  SimplifyHints1764041000000,
  DropCampaignBytes1764042000000,
  KeepErasuresApart1764050000000,
  KeepMicroseconds1764060000000,
];
