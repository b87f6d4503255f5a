import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateContactCenter1795824000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const tables of [RECORDS, ROWS, CHANGES, ERASURES]) await queryRunner.query(tables);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA contact_center CASCADE');
  }
}

const RECORDS = `
  CREATE TABLE contact_center.record (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    conversation_id text COLLATE "C",
    at timestamptz,
    data json,
    bytes integer NOT NULL DEFAULT 0,
    arrival bigint GENERATED ALWAYS AS IDENTITY,
    stored_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz(3),
    person_keys text[],
    removed_version timestamptz,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, type, id)
  );
  CREATE INDEX record_of_conversation ON contact_center.record (organization_id, conversation_id);
  CREATE INDEX record_person ON contact_center.record USING gin (person_keys);
  CREATE INDEX record_removal ON contact_center.record (removed_at) WHERE removed_at IS NOT NULL;
  CREATE INDEX conversation_age ON contact_center.record (organization_id, created_at, id) WHERE created_at IS NOT NULL;
  COMMENT ON TABLE contact_center.record IS
    'What the platform sends, of all types. A conversation is no foreign key: records may arrive in any order.';
  COMMENT ON COLUMN contact_center.record.conversation_id IS 'Of a conversation its own id. Null of a removal that is kept.';
  COMMENT ON COLUMN contact_center.record.at IS 'The latest time in it: of a conversation or ticket, its updatedAt.';
  COMMENT ON COLUMN contact_center.record.data IS
    'The fields that the record has. Null of a removal, and of a conversation that records name and that has not arrived.';
  COMMENT ON COLUMN contact_center.record.arrival IS 'Order of the first arrivals.';
  COMMENT ON COLUMN contact_center.record.created_at IS
    'Of a conversation; of one that has not arrived the latest time of its records.';
  COMMENT ON COLUMN contact_center.record.person_keys IS 'Of a conversation: what its person is found by.';
  COMMENT ON COLUMN contact_center.record.removed_version IS
    'Of a removal with an updatedAt: older upserts of the key are ignored while it is kept.';
  COMMENT ON INDEX contact_center.conversation_age IS
    'For retention. Not by the time of the last update, so that updates stay within their page.';

  CREATE TABLE contact_center.human_schedule (
    organization_id text COLLATE "C" PRIMARY KEY,
    version uuid NOT NULL,
    weekly json NOT NULL,
    exceptions json NOT NULL
  );
  COMMENT ON TABLE contact_center.human_schedule IS 'Business hours.';
`;

const ROWS = `
  CREATE FUNCTION contact_center.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
    RETURN coalesce(octet_length($1::text), 0);

  CREATE TABLE contact_center.conversation_session (
    organization_id text COLLATE "C",
    conversation_updated_at timestamptz NOT NULL,
    conversation_id text COLLATE "C",
    session_index integer,
    ticket_id bigint,
    agent_email text COLLATE "C" NOT NULL,
    account_id bigint,
    session_end_reason text COLLATE "C" NOT NULL,
    document json NOT NULL,
    bytes integer NOT NULL GENERATED ALWAYS AS (contact_center.json_bytes(document)) STORED,
    change bigint NOT NULL,
    digest bigint NOT NULL,
    anchor_microseconds smallint[],
    PRIMARY KEY (organization_id, conversation_id, session_index, ticket_id)
  );
  CREATE INDEX conversation_session_order ON contact_center.conversation_session
    (organization_id, conversation_updated_at, conversation_id, session_index, ticket_id)
    INCLUDE (agent_email, account_id, session_end_reason);
  CREATE UNIQUE INDEX conversation_session_changes ON contact_center.conversation_session (organization_id, change);
  COMMENT ON TABLE contact_center.conversation_session IS 'The rows of the export, derived from the records.';
  COMMENT ON COLUMN contact_center.conversation_session.session_index IS
    '2147483647 for a ticket without a session, which sorts last: a key has no nulls.';
  COMMENT ON COLUMN contact_center.conversation_session.ticket_id IS 'The least bigint for a session without a ticket.';
  COMMENT ON COLUMN contact_center.conversation_session.agent_email IS
    'For the filter, as the two after it. In lower case, blank when unknown.';
  COMMENT ON COLUMN contact_center.conversation_session.account_id IS
    'The account of the session''s agent or, of a ticket without a session, of its assignee.';
  COMMENT ON COLUMN contact_center.conversation_session.session_end_reason IS 'Blank without a session.';
  COMMENT ON COLUMN contact_center.conversation_session.document IS 'Every field but the business hours, as it is answered.';
  COMMENT ON COLUMN contact_center.conversation_session.change IS 'The number of the row''s last change.';
  COMMENT ON COLUMN contact_center.conversation_session.anchor_microseconds IS
    'Of the times that metrics are measured between, where they have any: the document has milliseconds.';
  COMMENT ON INDEX contact_center.conversation_session_order IS
    'Pages and totals are read from it alone: it has the order of the export, and includes each column of a filter.';

  CREATE TABLE contact_center.bucket (
    organization_id text COLLATE "C",
    list text COLLATE "C",
    starts_at timestamptz(0),
    rows integer NOT NULL,
    digest bigint NOT NULL,
    PRIMARY KEY (organization_id, list, starts_at)
  ) WITH (fillfactor = 80);
  COMMENT ON TABLE contact_center.bucket IS 'Totals and digests of a quarter of an hour. The area has one list.';
  COMMENT ON COLUMN contact_center.bucket.starts_at IS 'A whole quarter of an hour in UTC.';
  COMMENT ON COLUMN contact_center.bucket.digest IS 'The XOR of the digests of its rows.';
`;

const CHANGES = `
  CREATE TABLE contact_center.change_feed (
    organization_id text COLLATE "C" PRIMARY KEY,
    last bigint NOT NULL,
    pruned bigint NOT NULL DEFAULT 0
  );
  COMMENT ON TABLE contact_center.change_feed IS 'The row of an organization is the lock under which changes get their numbers.';
  COMMENT ON COLUMN contact_center.change_feed.last IS 'The last number that was assigned.';
  COMMENT ON COLUMN contact_center.change_feed.pruned IS 'The greatest number of a removal that was pruned.';

  CREATE TABLE contact_center.change_removal (
    organization_id text COLLATE "C",
    op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
    key text COLLATE "C",
    reason text COLLATE "C" NOT NULL DEFAULT 'removed',
    change bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, op, key)
  );
  CREATE INDEX change_removal_order ON contact_center.change_removal (organization_id, change);
  CREATE INDEX change_removal_age ON contact_center.change_removal (recorded_at) WHERE op = 'delete';
  COMMENT ON TABLE contact_center.change_removal IS 'Keys that have no row any more (delete), and reasons to read everything again (resync).';
  COMMENT ON COLUMN contact_center.change_removal.key IS 'Of a delete the key as JSON text, as it is answered; of a resync the reason.';
  COMMENT ON COLUMN contact_center.change_removal.reason IS 'Of a delete: removed, erased or expired.';
  COMMENT ON COLUMN contact_center.change_removal.change IS '0 until the end of the transaction.';

  CREATE TABLE contact_center.change_epoch (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    cursor_key bytea NOT NULL
  );
  INSERT INTO contact_center.change_epoch (cursor_key)
  SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  COMMENT ON TABLE contact_center.change_epoch IS 'One row.';
  COMMENT ON COLUMN contact_center.change_epoch.epoch IS 'Cursors of another epoch, or of another database, are expired.';
  COMMENT ON COLUMN contact_center.change_epoch.cursor_key IS 'Authenticates cursors.';

  CREATE TABLE contact_center.webhook_endpoint (
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
  COMMENT ON TABLE contact_center.webhook_endpoint IS 'A hint waits while change_feed.last is greater than told_change.';
  COMMENT ON COLUMN contact_center.webhook_endpoint.secret IS 'Encrypted, as the secrets of previous_secrets are.';
  COMMENT ON COLUMN contact_center.webhook_endpoint.previous_secrets IS 'Hints are also signed with these until they end: [{secret, until}], the newest first, two at most.';
  COMMENT ON COLUMN contact_center.webhook_endpoint.told_change IS 'The number of the last hint that the endpoint accepted.';
  COMMENT ON COLUMN contact_center.webhook_endpoint.told_epoch IS 'The epoch of told_change.';
  COMMENT ON COLUMN contact_center.webhook_endpoint.attempts IS 'Those that have failed since the last one that did not.';
`;

const ERASURES = `
  CREATE TABLE contact_center.erasure (
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
  CREATE INDEX erasure_due ON contact_center.erasure (next_attempt_at) WHERE erased_at IS NULL;
  COMMENT ON TABLE contact_center.erasure IS 'Certificates.';
  COMMENT ON COLUMN contact_center.erasure.subject IS 'Null once the erasure is done.';
  COMMENT ON COLUMN contact_center.erasure.found IS 'How many records of each kind it has found.';
  COMMENT ON COLUMN contact_center.erasure.position IS 'Where the next step begins; null before the first.';
  COMMENT ON COLUMN contact_center.erasure.attempts IS 'Of steps that have not succeeded since the last one that has.';

  CREATE TABLE contact_center.erased_key (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    PRIMARY KEY (organization_id, type, id)
  );
  COMMENT ON TABLE contact_center.erased_key IS 'The keys of what was erased: records that have them do not come back.';
`;
