-- The schema as its migrations make it. Written by `npm run openapi`.

-- Null means the default of the platform.
CREATE TABLE survey.organization_settings (
  organization_id text COLLATE "C" NOT NULL,
  max_survey_links_per_campaign integer,
  brand_name text,
  brand_color text,
  logo_type text,
  logo bytea,
  CONSTRAINT organization_settings_pkey PRIMARY KEY (organization_id)
);

-- Questions are kept out of line (toast_tuple_target): counting and searching campaigns reads narrow rows.
CREATE TABLE survey.campaign (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  -- awaited: responses name the campaign, but its own record has not arrived. Nothing shows it.
  status text NOT NULL,
  name text NOT NULL DEFAULT ''::text,
  -- Of its texts; its page has it unless the respondent chooses another. Null: nobody has said.
  language text,
  touchpoints json NOT NULL DEFAULT '[]'::json,
  questions json NOT NULL DEFAULT '[]'::json,
  recorded_interaction_at timestamp with time zone,
  response_interaction_at timestamp with time zone,
  last_interacted_at timestamp with time zone GENERATED ALWAYS AS (GREATEST(recorded_interaction_at, response_interaction_at)) STORED,
  CONSTRAINT campaign_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT campaign_language_check CHECK ((language = ANY (ARRAY['vi'::text, 'en'::text]))),
  CONSTRAINT campaign_status_check CHECK ((status = ANY (ARRAY['awaited'::text, 'draft'::text, 'active'::text, 'inactive'::text, 'deleted'::text])))
) WITH (toast_tuple_target=256);
CREATE INDEX campaign_list ON survey.campaign USING btree (organization_id, last_interacted_at DESC NULLS LAST, id) INCLUDE (status);
-- Each status is written once for all its campaigns: a list's total is counted over a fraction of the table's pages.
CREATE INDEX campaign_count ON survey.campaign USING btree (organization_id, status);

-- Apart from campaign: each response moves its campaign's latest interaction, and must not write the name's trigrams again.
CREATE TABLE survey.campaign_name (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  searchable_name text NOT NULL,
  CONSTRAINT campaign_name_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX campaign_search ON survey.campaign_name USING gin (organization_id, searchable_name gin_trgm_ops) WITH (fastupdate=off);

CREATE TABLE survey.metadata_field (
  organization_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  variable text NOT NULL,
  variable_since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  -- Stored responses have them, and records may bring them again: what is erased of the field comes back by none.
  former_variables text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT metadata_field_pkey PRIMARY KEY (organization_id, id),
  -- Checked after each statement, so that one batch of records can swap two variables.
  CONSTRAINT metadata_field_variable_unique UNIQUE (organization_id, variable) DEFERRABLE
);

CREATE OR REPLACE FUNCTION survey.json_bytes(json)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(octet_length(($1)::text), 0);

CREATE TABLE survey.response (
  organization_id text COLLATE "C" NOT NULL,
  identifier uuid NOT NULL,
  campaign_id uuid NOT NULL,
  sent_at timestamp(3) with time zone,
  sending_failed_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  answered_at timestamp(3) with time zone,
  earliest_at timestamp(3) with time zone NOT NULL GENERATED ALWAYS AS (LEAST(sent_at, sending_failed_at, opened_at, answered_at)) STORED,
  -- Responses are ordered to the microsecond, and the latest is found so; their times keep the milliseconds that answers show.
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
  bytes integer NOT NULL GENERATED ALWAYS AS ((((((((survey.json_bytes(answers) + survey.json_bytes(metadata_mappings)) + survey.json_bytes(tags)) + COALESCE(octet_length(user_name), 0)) + COALESCE(octet_length(user_phone), 0)) + COALESCE(octet_length(user_email), 0)) + COALESCE(octet_length(source), 0)) + COALESCE(octet_length(transaction_id), 0))) STORED,
  -- The number of the last change; 0 until the end of the transaction.
  change bigint NOT NULL,
  -- Of the row as the feed answers it.
  digest bigint NOT NULL,
  -- What leads to it of a person: personKeysOfResponse.
  person_keys text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT response_pkey PRIMARY KEY (organization_id, identifier)
);
-- The campaign comes first: a plan that is made while the table is empty finds responses by their keys in no other index.
CREATE INDEX response_window ON survey.response USING btree (campaign_id, organization_id, earliest_at, earliest_microseconds, identifier);
-- Partial, so that only statements that ask for changes use it, and none to find all rows of an organization.
CREATE INDEX response_change ON survey.response USING btree (organization_id, change) WHERE (change IS NOT NULL);
CREATE INDEX response_person ON survey.response USING gin (person_keys);

-- Totals and digests of a quarter of an hour. A campaign is a list.
CREATE TABLE survey.bucket (
  organization_id text COLLATE "C" NOT NULL,
  list text COLLATE "C" NOT NULL,
  -- A whole quarter of an hour in UTC.
  starts_at timestamp(0) with time zone NOT NULL,
  rows integer NOT NULL,
  -- The XOR of the digests of its rows.
  digest bigint NOT NULL,
  CONSTRAINT bucket_pkey PRIMARY KEY (organization_id, list, starts_at)
) WITH (fillfactor=80);

CREATE TABLE survey.link (
  organization_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  public_id text NOT NULL,
  campaign_id uuid NOT NULL,
  mapping_key bytea NOT NULL,
  name text NOT NULL,
  metadata_mapping json NOT NULL,
  mapping_bytes integer NOT NULL GENERATED ALWAYS AS (survey.json_bytes(metadata_mapping)) STORED,
  person_keys text[] NOT NULL DEFAULT '{}'::text[],
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT link_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT link_mapping_unique UNIQUE (organization_id, campaign_id, mapping_key)
);
CREATE UNIQUE INDEX link_public_id ON survey.link USING btree (organization_id, public_id);
CREATE INDEX link_person ON survey.link USING gin (person_keys);

-- How many links a campaign has. Its row is the lock under which links are made.
CREATE TABLE survey.link_count (
  organization_id text COLLATE "C" NOT NULL,
  campaign_id uuid NOT NULL,
  links integer NOT NULL,
  CONSTRAINT link_count_pkey PRIMARY KEY (organization_id, campaign_id)
) WITH (fillfactor=80);

-- Whose link a public id is. On Citus a reference table: a respondent knows no organization.
CREATE TABLE survey.link_address (
  public_id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  CONSTRAINT link_address_pkey PRIMARY KEY (public_id)
);

-- The row of an organization is the lock under which changes get their numbers.
CREATE TABLE survey.change_feed (
  organization_id text COLLATE "C" NOT NULL,
  -- The last number that was assigned.
  last bigint NOT NULL,
  -- The greatest number of a removal that was pruned.
  pruned bigint NOT NULL DEFAULT 0,
  CONSTRAINT change_feed_pkey PRIMARY KEY (organization_id)
);

-- Keys that have no row any more (delete), and reasons to read everything again (resync).
CREATE TABLE survey.change_removal (
  organization_id text COLLATE "C" NOT NULL,
  op text COLLATE "C" NOT NULL,
  -- Of a delete the key as JSON text, as it is answered; of a resync the reason.
  key text COLLATE "C" NOT NULL,
  -- Of a delete: removed, erased or expired.
  reason text COLLATE "C" NOT NULL DEFAULT 'removed'::text,
  -- 0 until the end of the transaction.
  change bigint NOT NULL DEFAULT 0,
  recorded_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT change_removal_pkey PRIMARY KEY (organization_id, op, key),
  CONSTRAINT change_removal_op_check CHECK ((op = ANY (ARRAY['delete'::text, 'resync'::text])))
);
CREATE INDEX change_removal_order ON survey.change_removal USING btree (organization_id, change);
CREATE INDEX change_removal_age ON survey.change_removal USING btree (recorded_at) WHERE (op = 'delete'::text);

-- One row.
CREATE TABLE survey.change_epoch (
  is_only boolean NOT NULL DEFAULT true,
  -- Cursors of another epoch, or of another database, are expired.
  epoch uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Authenticates cursors.
  cursor_key bytea NOT NULL,
  CONSTRAINT change_epoch_pkey PRIMARY KEY (is_only),
  CONSTRAINT change_epoch_is_only_check CHECK (is_only)
);

-- A hint waits while change_feed.last is greater than told_change.
CREATE TABLE survey.webhook_endpoint (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  -- Encrypted, as the secrets of previous_secrets are.
  secret text NOT NULL,
  -- Hints are also signed with these until they end: [{secret, until}], the newest first, two at most.
  previous_secrets jsonb NOT NULL DEFAULT '[]'::jsonb,
  status text COLLATE "C" NOT NULL DEFAULT 'active'::text,
  -- The number of the last hint that the endpoint accepted.
  told_change bigint,
  -- The epoch of told_change.
  told_epoch text,
  -- Those that have failed since the last one that did not.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  last_attempt_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT webhook_endpoint_status_check CHECK ((status = ANY (ARRAY['active'::text, 'failing'::text, 'disabled'::text])))
);

-- Certificates.
CREATE TABLE survey.erasure (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  -- Null once the erasure is done.
  subject json,
  requested_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  erased_at timestamp(3) with time zone,
  -- How many records of each kind it has found.
  found json NOT NULL DEFAULT '{}'::json,
  -- Where the next step begins; null before the first.
  "position" text,
  last_change bigint,
  -- Of steps that have not succeeded since the last one that has.
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT erasure_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX erasure_due ON survey.erasure USING btree (next_attempt_at) WHERE (erased_at IS NULL);

-- The keys of what was erased: records that have them do not come back.
CREATE TABLE survey.erased_key (
  organization_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  erased_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT erased_key_pkey PRIMARY KEY (organization_id, type, id)
);
