import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSurvey1795824000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const tables of [CAMPAIGNS, RESPONSES, LINKS, CHANGES, ERASURES]) await queryRunner.query(tables);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA survey CASCADE');
  }
}

const CAMPAIGNS = `
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
  COMMENT ON TABLE survey.organization_settings IS 'Null means the default of the platform.';

  CREATE TABLE survey.campaign (
    organization_id text COLLATE "C",
    id uuid,
    status text NOT NULL CHECK (status IN ('awaited', 'draft', 'active', 'inactive', 'deleted')),
    name text NOT NULL DEFAULT '',
    language text CHECK (language IN ('vi', 'en')),
    touchpoints json NOT NULL DEFAULT '[]',
    questions json NOT NULL DEFAULT '[]',
    recorded_interaction_at timestamptz,
    response_interaction_at timestamptz,
    last_interacted_at timestamptz
      GENERATED ALWAYS AS (GREATEST(recorded_interaction_at, response_interaction_at)) STORED,
    PRIMARY KEY (organization_id, id)
  ) WITH (toast_tuple_target = 256);
  CREATE INDEX campaign_list
    ON survey.campaign (organization_id, last_interacted_at DESC NULLS LAST, id) INCLUDE (status);
  CREATE INDEX campaign_count ON survey.campaign (organization_id, status);
  COMMENT ON TABLE survey.campaign IS
    'Questions are kept out of line (toast_tuple_target): counting and searching campaigns reads narrow rows.';
  COMMENT ON COLUMN survey.campaign.status IS
    'awaited: responses name the campaign, but its own record has not arrived. Nothing shows it.';
  COMMENT ON COLUMN survey.campaign.language IS
    'Of its texts; its page has it unless the respondent chooses another. Null: nobody has said.';
  COMMENT ON INDEX survey.campaign_count IS
    'Each status is written once for all its campaigns: a list''s total is counted over a fraction of the table''s pages.';

  CREATE TABLE survey.campaign_name (
    organization_id text COLLATE "C",
    id uuid,
    searchable_name text NOT NULL,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX campaign_search
    ON survey.campaign_name USING gin (organization_id, searchable_name gin_trgm_ops) WITH (fastupdate = off);
  COMMENT ON TABLE survey.campaign_name IS
    'Apart from campaign: each response moves its campaign''s latest interaction, and must not write the name''s trigrams again.';
`;

const RESPONSES = `
  CREATE TABLE survey.metadata_field (
    organization_id text COLLATE "C",
    id bigint,
    name text NOT NULL,
    variable text NOT NULL,
    variable_since timestamptz NOT NULL DEFAULT clock_timestamp(),
    former_variables text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (organization_id, id),
    CONSTRAINT metadata_field_variable_unique UNIQUE (organization_id, variable) DEFERRABLE
  );
  COMMENT ON CONSTRAINT metadata_field_variable_unique ON survey.metadata_field IS
    'Checked after each statement, so that one batch of records can swap two variables.';
  COMMENT ON COLUMN survey.metadata_field.former_variables IS
    'Stored responses have them, and records may bring them again: what is erased of the field comes back by none.';

  CREATE FUNCTION survey.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
    RETURN coalesce(octet_length($1::text), 0);

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
    earliest_microseconds smallint NOT NULL DEFAULT 0,
    latest_microseconds smallint NOT NULL DEFAULT 0,
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
    change bigint NOT NULL,
    digest bigint NOT NULL,
    person_keys text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (organization_id, identifier)
  );
  CREATE INDEX response_window
    ON survey.response (campaign_id, organization_id, earliest_at, earliest_microseconds, identifier);
  CREATE INDEX response_change ON survey.response (organization_id, change) WHERE change IS NOT NULL;
  CREATE INDEX response_person ON survey.response USING gin (person_keys);
  COMMENT ON INDEX survey.response_window IS
    'The campaign comes first: a plan that is made while the table is empty finds responses by their keys in no other index.';
  COMMENT ON COLUMN survey.response.earliest_microseconds IS
    'Responses are ordered to the microsecond, and the latest is found so; their times keep the milliseconds that answers show.';
  COMMENT ON COLUMN survey.response.change IS 'The number of the last change; 0 until the end of the transaction.';
  COMMENT ON COLUMN survey.response.digest IS 'Of the row as the feed answers it.';
  COMMENT ON COLUMN survey.response.person_keys IS 'What leads to it of a person: personKeysOfResponse.';
  COMMENT ON INDEX survey.response_change IS
    'Partial, so that only statements that ask for changes use it, and none to find all rows of an organization.';

  CREATE TABLE survey.bucket (
    organization_id text COLLATE "C",
    list text COLLATE "C",
    starts_at timestamptz(0),
    rows integer NOT NULL,
    digest bigint NOT NULL,
    PRIMARY KEY (organization_id, list, starts_at)
  ) WITH (fillfactor = 80);
  COMMENT ON TABLE survey.bucket IS 'Totals and digests of a quarter of an hour. A campaign is a list.';
  COMMENT ON COLUMN survey.bucket.starts_at IS 'A whole quarter of an hour in UTC.';
  COMMENT ON COLUMN survey.bucket.digest IS 'The XOR of the digests of its rows.';
`;

const LINKS = `
  CREATE TABLE survey.link (
    organization_id text COLLATE "C",
    id bigint GENERATED ALWAYS AS IDENTITY,
    public_id text NOT NULL,
    campaign_id uuid NOT NULL,
    mapping_key bytea NOT NULL,
    name text NOT NULL,
    metadata_mapping json NOT NULL,
    mapping_bytes integer NOT NULL GENERATED ALWAYS AS (survey.json_bytes(metadata_mapping)) STORED,
    person_keys text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT link_mapping_unique UNIQUE (organization_id, campaign_id, mapping_key)
  );
  CREATE UNIQUE INDEX link_public_id ON survey.link (organization_id, public_id);
  CREATE INDEX link_person ON survey.link USING gin (person_keys);

  CREATE TABLE survey.link_count (
    organization_id text COLLATE "C",
    campaign_id uuid,
    links integer NOT NULL,
    PRIMARY KEY (organization_id, campaign_id)
  ) WITH (fillfactor = 80);
  COMMENT ON TABLE survey.link_count IS
    'How many links a campaign has. Its row is the lock under which links are made.';

  CREATE TABLE survey.link_address (
    public_id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL
  );
  COMMENT ON TABLE survey.link_address IS
    'Whose link a public id is. On Citus a reference table: a respondent knows no organization.';
`;

const CHANGES = `
  CREATE TABLE survey.change_feed (
    organization_id text COLLATE "C" PRIMARY KEY,
    last bigint NOT NULL,
    pruned bigint NOT NULL DEFAULT 0
  );
  COMMENT ON TABLE survey.change_feed IS 'The row of an organization is the lock under which changes get their numbers.';
  COMMENT ON COLUMN survey.change_feed.last IS 'The last number that was assigned.';
  COMMENT ON COLUMN survey.change_feed.pruned IS 'The greatest number of a removal that was pruned.';

  CREATE TABLE survey.change_removal (
    organization_id text COLLATE "C",
    op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
    key text COLLATE "C",
    reason text COLLATE "C" NOT NULL DEFAULT 'removed',
    change bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, op, key)
  );
  CREATE INDEX change_removal_order ON survey.change_removal (organization_id, change);
  CREATE INDEX change_removal_age ON survey.change_removal (recorded_at) WHERE op = 'delete';
  COMMENT ON TABLE survey.change_removal IS 'Keys that have no row any more (delete), and reasons to read everything again (resync).';
  COMMENT ON COLUMN survey.change_removal.key IS 'Of a delete the key as JSON text, as it is answered; of a resync the reason.';
  COMMENT ON COLUMN survey.change_removal.reason IS 'Of a delete: removed, erased or expired.';
  COMMENT ON COLUMN survey.change_removal.change IS '0 until the end of the transaction.';

  CREATE TABLE survey.change_epoch (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    cursor_key bytea NOT NULL
  );
  INSERT INTO survey.change_epoch (cursor_key)
  SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  COMMENT ON TABLE survey.change_epoch IS 'One row.';
  COMMENT ON COLUMN survey.change_epoch.epoch IS 'Cursors of another epoch, or of another database, are expired.';
  COMMENT ON COLUMN survey.change_epoch.cursor_key IS 'Authenticates cursors.';

  CREATE TABLE survey.webhook_endpoint (
    organization_id text COLLATE "C",
    id uuid,
    url text NOT NULL,
    description text,
    secret text NOT NULL,
    previous_secrets jsonb NOT NULL DEFAULT '[]',
    status text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'failing', 'disabled')),
    told_change bigint,
    told_epoch text,
    attempts integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    last_attempt_at timestamptz,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, id)
  );
  COMMENT ON TABLE survey.webhook_endpoint IS 'A hint waits while change_feed.last is greater than told_change.';
  COMMENT ON COLUMN survey.webhook_endpoint.secret IS 'Encrypted, as the secrets of previous_secrets are.';
  COMMENT ON COLUMN survey.webhook_endpoint.previous_secrets IS 'Hints are also signed with these until they end: [{secret, until}], the newest first, two at most.';
  COMMENT ON COLUMN survey.webhook_endpoint.told_change IS 'The number of the last hint that the endpoint accepted.';
  COMMENT ON COLUMN survey.webhook_endpoint.told_epoch IS 'The epoch of told_change.';
  COMMENT ON COLUMN survey.webhook_endpoint.attempts IS 'Those that have failed since the last one that did not.';
`;

const ERASURES = `
  CREATE TABLE survey.erasure (
    organization_id text COLLATE "C",
    id uuid,
    subject json,
    requested_at timestamptz(3) NOT NULL DEFAULT now(),
    erased_at timestamptz(3),
    found json NOT NULL DEFAULT '{}',
    position text,
    last_change bigint,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX erasure_due ON survey.erasure (next_attempt_at) WHERE erased_at IS NULL;
  COMMENT ON TABLE survey.erasure IS 'Certificates.';
  COMMENT ON COLUMN survey.erasure.subject IS 'Null once the erasure is done.';
  COMMENT ON COLUMN survey.erasure.found IS 'How many records of each kind it has found.';
  COMMENT ON COLUMN survey.erasure.position IS 'Where the next step begins; null before the first.';
  COMMENT ON COLUMN survey.erasure.attempts IS 'Of steps that have not succeeded since the last one that has.';

  CREATE TABLE survey.erased_key (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, type, id)
  );
  COMMENT ON TABLE survey.erased_key IS 'The keys of what was erased: records that have them do not come back.';
`;
