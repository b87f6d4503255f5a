-- The schema as its migrations make it. Written by `npm run openapi`.

-- What the platform sends, of all types. A conversation is no foreign key: records may arrive in any order.
CREATE TABLE contact_center.record (
  organization_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Of a conversation its own id. Null of a removal that is kept.
  conversation_id text COLLATE "C",
  -- The latest time in it: of a conversation or ticket, its updatedAt.
  at timestamp with time zone,
  -- The fields that the record has. Null of a removal, and of a conversation that records name and that has not arrived.
  data json,
  bytes integer NOT NULL DEFAULT 0,
  -- Order of the first arrivals.
  arrival bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  stored_at timestamp with time zone NOT NULL DEFAULT now(),
  -- Of a conversation; of one that has not arrived the latest time of its records.
  created_at timestamp(3) with time zone,
  -- Of a conversation: what its person is found by.
  person_keys text[],
  -- Of a removal with an updatedAt: older upserts of the key are ignored while it is kept.
  removed_version timestamp with time zone,
  removed_at timestamp with time zone,
  CONSTRAINT record_pkey PRIMARY KEY (organization_id, type, id)
);
CREATE INDEX record_of_conversation ON contact_center.record USING btree (organization_id, conversation_id);
CREATE INDEX record_person ON contact_center.record USING gin (person_keys);
CREATE INDEX record_removal ON contact_center.record USING btree (removed_at) WHERE (removed_at IS NOT NULL);
-- For retention. Not by the time of the last update, so that updates stay within their page.
CREATE INDEX conversation_age ON contact_center.record USING btree (organization_id, created_at, id) WHERE (created_at IS NOT NULL);

-- Business hours.
CREATE TABLE contact_center.human_schedule (
  organization_id text COLLATE "C" NOT NULL,
  version uuid NOT NULL,
  weekly json NOT NULL,
  exceptions json NOT NULL,
  CONSTRAINT human_schedule_pkey PRIMARY KEY (organization_id)
);

CREATE OR REPLACE FUNCTION contact_center.json_bytes(json)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(octet_length(($1)::text), 0);

-- The rows of the export, derived from the records.
CREATE TABLE contact_center.conversation_session (
  organization_id text COLLATE "C" NOT NULL,
  conversation_updated_at timestamp with time zone NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  -- 2147483647 for a ticket without a session, which sorts last: a key has no nulls.
  session_index integer NOT NULL,
  -- The least bigint for a session without a ticket.
  ticket_id bigint NOT NULL,
  -- For the filter, as the two after it. In lower case, blank when unknown.
  agent_email text COLLATE "C" NOT NULL,
  -- The account of the session's agent or, of a ticket without a session, of its assignee.
  account_id bigint,
  -- Blank without a session.
  session_end_reason text COLLATE "C" NOT NULL,
  -- Every field but the business hours, as it is answered.
  document json NOT NULL,
  bytes integer NOT NULL GENERATED ALWAYS AS (contact_center.json_bytes(document)) STORED,
  -- The number of the row's last change.
  change bigint NOT NULL,
  digest bigint NOT NULL,
  -- Of the times that metrics are measured between, where they have any: the document has milliseconds.
  anchor_microseconds smallint[],
  CONSTRAINT conversation_session_pkey PRIMARY KEY (organization_id, conversation_id, session_index, ticket_id)
);
-- Pages and totals are read from it alone: it has the order of the export, and includes each column of a filter.
CREATE INDEX conversation_session_order ON contact_center.conversation_session USING btree (organization_id, conversation_updated_at, conversation_id, session_index, ticket_id) INCLUDE (agent_email, account_id, session_end_reason);
CREATE UNIQUE INDEX conversation_session_changes ON contact_center.conversation_session USING btree (organization_id, change);

-- Totals and digests of a quarter of an hour. The area has one list.
CREATE TABLE contact_center.bucket (
  organization_id text COLLATE "C" NOT NULL,
  list text COLLATE "C" NOT NULL,
  -- A whole quarter of an hour in UTC.
  starts_at timestamp(0) with time zone NOT NULL,
  rows integer NOT NULL,
  -- The XOR of the digests of its rows.
  digest bigint NOT NULL,
  CONSTRAINT bucket_pkey PRIMARY KEY (organization_id, list, starts_at)
) WITH (fillfactor=80);

-- The row of an organization is the lock under which changes get their numbers.
CREATE TABLE contact_center.change_feed (
  organization_id text COLLATE "C" NOT NULL,
  -- The last number that was assigned.
  last bigint NOT NULL,
  -- The greatest number of a removal that was pruned.
  pruned bigint NOT NULL DEFAULT 0,
  CONSTRAINT change_feed_pkey PRIMARY KEY (organization_id)
);

-- Keys that have no row any more (delete), and reasons to read everything again (resync).
CREATE TABLE contact_center.change_removal (
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
CREATE INDEX change_removal_order ON contact_center.change_removal USING btree (organization_id, change);
CREATE INDEX change_removal_age ON contact_center.change_removal USING btree (recorded_at) WHERE (op = 'delete'::text);

-- One row.
CREATE TABLE contact_center.change_epoch (
  is_only boolean NOT NULL DEFAULT true,
  -- Cursors of another epoch, or of another database, are expired.
  epoch uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Authenticates cursors.
  cursor_key bytea NOT NULL,
  CONSTRAINT change_epoch_pkey PRIMARY KEY (is_only),
  CONSTRAINT change_epoch_is_only_check CHECK (is_only)
);

-- A hint waits while change_feed.last is greater than told_change.
CREATE TABLE contact_center.webhook_endpoint (
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
CREATE TABLE contact_center.erasure (
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
CREATE INDEX erasure_due ON contact_center.erasure USING btree (next_attempt_at) WHERE (erased_at IS NULL);

-- The keys of what was erased: records that have them do not come back.
CREATE TABLE contact_center.erased_key (
  organization_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  CONSTRAINT erased_key_pkey PRIMARY KEY (organization_id, type, id)
);
