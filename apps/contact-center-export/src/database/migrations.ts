import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateContactCenter1764020000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(RECORDS);
    await queryRunner.query(ROWS);
    await queryRunner.query(CHANGES);
    await queryRunner.query(`
      CREATE TABLE contact_center.erasure (
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
      CREATE INDEX erasure_under_way ON contact_center.erasure (requested_at) WHERE subject IS NOT NULL;
      CREATE INDEX erasure_of_subject ON contact_center.erasure (organization_id, subject_hash);

      -- The keys of what was erased: records that have them don't come back.
      CREATE TABLE contact_center.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        mode text COLLATE "C" NOT NULL,
        erasure_id uuid NOT NULL,
        PRIMARY KEY (organization_id, type, id)
      );
      CREATE INDEX erased_key_of_erasure ON contact_center.erased_key (organization_id, erasure_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA contact_center CASCADE');
  }
}

/** A conversation is no foreign key: records may arrive in any order. */
const RECORDS = `
  CREATE TABLE contact_center.record (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    -- Of a conversation its own id. Null of a removal that is kept.
    conversation_id text COLLATE "C",
    -- The latest time in it: of a conversation or ticket, its updatedAt.
    at timestamptz(3),
    -- The fields that the record has. Null of a removal, and of a conversation that records name and that has not arrived.
    data json,
    bytes integer NOT NULL DEFAULT 0,
    -- Order of the first arrivals.
    arrival bigint GENERATED ALWAYS AS IDENTITY,
    stored_at timestamptz NOT NULL DEFAULT now(),
    -- Of a conversation; of one that has not arrived the latest time of its records.
    created_at timestamptz(3),
    -- Of a conversation: what its person is found by.
    person_keys text[],
    -- Of a removal with an updatedAt: older upserts of the key are ignored while it is kept.
    removed_version timestamptz(3),
    removed_at timestamptz,
    PRIMARY KEY (organization_id, type, id)
  );
  CREATE INDEX record_of_conversation ON contact_center.record (organization_id, conversation_id);
  CREATE INDEX record_person ON contact_center.record USING gin (person_keys);
  CREATE INDEX record_removal ON contact_center.record (removed_at) WHERE removed_at IS NOT NULL;
  -- For retention. Not by the time of the last update, so that updates stay within their page.
  CREATE INDEX conversation_age ON contact_center.record (organization_id, created_at, id) WHERE created_at IS NOT NULL;

  CREATE TABLE contact_center.human_schedule (
    organization_id text COLLATE "C" PRIMARY KEY,
    version uuid NOT NULL,
    weekly json NOT NULL,
    exceptions json NOT NULL
  );
`;

const ROWS = `
  CREATE FUNCTION contact_center.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
    RETURN coalesce(octet_length($1::text), 0);

  CREATE TABLE contact_center.conversation_session (
    organization_id text COLLATE "C",
    conversation_updated_at timestamptz(3) NOT NULL,
    conversation_id text COLLATE "C",
    -- 2147483647 for a ticket without a session, which sorts last: a key has no nulls.
    session_index integer,
    -- The least bigint for a session without a ticket.
    ticket_id bigint,
    -- What filters read: the agent's email in lower case, blank when unknown; the account of the session's agent or, of a ticket without a
    -- session, of its assignee; blank without a session.
    agent_email text COLLATE "C" NOT NULL,
    account_id bigint,
    session_end_reason text COLLATE "C" NOT NULL,
    -- Every field but the business hours, as it is answered.
    document json NOT NULL,
    bytes integer NOT NULL GENERATED ALWAYS AS (contact_center.json_bytes(document)) STORED,
    -- The number of the row's last change.
    change bigint NOT NULL,
    digest bigint NOT NULL,
    PRIMARY KEY (organization_id, conversation_id, session_index, ticket_id)
  );
  -- Pages and totals are read from it alone: it has the order of the export, and includes each column of a filter.
  CREATE INDEX conversation_session_order ON contact_center.conversation_session
    (organization_id, conversation_updated_at, conversation_id, session_index, ticket_id)
    INCLUDE (agent_email, account_id, session_end_reason);
  CREATE UNIQUE INDEX conversation_session_changes ON contact_center.conversation_session (organization_id, change);

  CREATE TABLE contact_center.bucket (
    organization_id text COLLATE "C",
    list text COLLATE "C",
    -- A whole quarter of an hour in UTC.
    starts_at timestamptz(0),
    rows integer NOT NULL,
    -- The XOR of the digests of its rows.
    digest bigint NOT NULL,
    PRIMARY KEY (organization_id, list, starts_at)
  ) WITH (fillfactor = 80);
`;

const CHANGES = `
  CREATE TABLE contact_center.change_feed (
    organization_id text COLLATE "C" PRIMARY KEY,
    -- The last number that was assigned. Its row is the lock under which numbers are assigned.
    last bigint NOT NULL,
    -- The greatest number of a removal that was pruned.
    pruned bigint NOT NULL DEFAULT 0
  );

  -- Keys that have no row any more (delete), and reasons to read everything again (resync).
  CREATE TABLE contact_center.change_removal (
    organization_id text COLLATE "C",
    op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
    -- Of a delete the key as JSON text, as it is answered; of a resync the reason.
    key text COLLATE "C",
    -- 0 until the end of the transaction.
    change bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, op, key)
  );
  CREATE INDEX change_removal_order ON contact_center.change_removal (organization_id, change);
  CREATE INDEX change_removal_age ON contact_center.change_removal (recorded_at) WHERE op = 'delete';

  -- One row.
  CREATE TABLE contact_center.change_epoch (
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
  INSERT INTO contact_center.change_epoch (cursor_key)
  SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

  -- A hint that waits is the difference between the last change of the organization and told_change.
  CREATE TABLE contact_center.webhook_endpoint (
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
  ALTER TABLE contact_center.change_removal ADD COLUMN reason text COLLATE "C" NOT NULL DEFAULT 'removed';
`;

export class SimplifyHints1764041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE contact_center.webhook_endpoint DROP COLUMN place, DROP COLUMN lease, DROP COLUMN leased_until;
    `);
  }

  async down(): Promise<void> {}
}

export class KeepErasuresApart1764050000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE contact_center.erasure
        ALTER COLUMN mode SET DEFAULT 'delete',
        -- Of steps that have not succeeded since the last one that has.
        ADD COLUMN attempts integer NOT NULL DEFAULT 0,
        ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now();
      ALTER TABLE contact_center.erased_key
        ALTER COLUMN mode SET DEFAULT 'delete',
        ALTER COLUMN erasure_id SET DEFAULT '00000000-0000-0000-0000-000000000000';
      CREATE INDEX erasure_due ON contact_center.erasure (next_try_at) WHERE erased_at IS NULL;

      -- The keys in a certificate, in parts: those of a step, or some of a certificate that is applied again.
      CREATE TABLE contact_center.erasure_keys (
        organization_id text COLLATE "C",
        erasure_id uuid,
        part integer,
        type text COLLATE "C" NOT NULL,
        ids text[] COLLATE "C" NOT NULL,
        -- It is applied again, and a step has still to erase what has these keys.
        is_left boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, erasure_id, part)
      );
      INSERT INTO contact_center.erasure_keys (organization_id, erasure_id, part, type, ids)
      SELECT erasure.organization_id, erasure.id, row_number() OVER (PARTITION BY erasure.organization_id, erasure.id),
        erased_key.type, array_agg(DISTINCT erased_key.id)
      FROM contact_center.erasure
      JOIN contact_center.erasure AS same ON same.organization_id = erasure.organization_id
        AND (same.id = erasure.id OR same.subject_hash = erasure.subject_hash)
      JOIN contact_center.erased_key ON erased_key.organization_id = same.organization_id AND erased_key.erasure_id = same.id
      WHERE erased_key.type IN ('conversation', 'ticket')
      GROUP BY erasure.organization_id, erasure.id, erased_key.type;

      -- Certificates that are being applied again: their keys that are left had types of their own.
      INSERT INTO contact_center.erasure_keys (organization_id, erasure_id, part, type, ids, is_left)
      SELECT organization_id, split_part(type, ' of ', 2)::uuid, 1000 + row_number() OVER (PARTITION BY organization_id),
        split_part(id, ' ', 1), array_agg(substr(id, strpos(id, ' ') + 1)), true
      FROM contact_center.erased_key WHERE type LIKE 'new of %' OR type LIKE 'known of %'
      GROUP BY organization_id, type, split_part(id, ' ', 1);
      UPDATE contact_center.erasure SET subject = NULL, erased_at = NULL WHERE subject IS NOT NULL AND erased_at IS NOT NULL;
      UPDATE contact_center.erasure SET subject_hash = NULL WHERE subject IS NULL;
      -- What has the keys that are left is still there: the release before kept them as erased from the beginning.
      DELETE FROM contact_center.erased_key USING contact_center.erasure_keys AS kept
      WHERE kept.is_left AND erased_key.organization_id = kept.organization_id AND erased_key.type = kept.type
        AND erased_key.id = ANY (kept.ids);
    `);
  }

  async down(): Promise<void> {}
}

/** A type without the limit to milliseconds is the same on disk: the table is not rewritten. */
export class KeepMicroseconds1764060000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE contact_center.record
        ALTER COLUMN at TYPE timestamptz,
        ALTER COLUMN removed_version TYPE timestamptz;
      ALTER TABLE contact_center.conversation_session
        ALTER COLUMN conversation_updated_at TYPE timestamptz,
        -- Of the times that metrics are measured between, where they have any: the document has milliseconds.
        ADD COLUMN anchor_microseconds smallint[];
    `);
  }

  async down(): Promise<void> {}
}

export const migrations = [
  CreateContactCenter1764020000000,
  SimplifyHints1764041000000,
  KeepErasuresApart1764050000000,
  KeepMicroseconds1764060000000,
];
