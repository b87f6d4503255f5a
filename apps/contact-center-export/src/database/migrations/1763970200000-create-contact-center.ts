import { addRemovalReasons, createChangeFeedTables } from '@cxp/change-feed';
import { createComparableFunctions, createErasureTables } from '@cxp/erasure';
import { createBucketTable } from '@cxp/pagination';
import { createJsonBytes } from '@cxp/storage';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateContactCenter1763970200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(RECORDS);
    await queryRunner.query(ROWS);
    await queryRunner.query(CHANGES);
    await queryRunner.query(ERASURE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA contact_center CASCADE');
  }
}

/** The records of the platform. Names of other records are no foreign keys: records may arrive in any order. */
const RECORDS = `
  CREATE TABLE contact_center.conversation (
    organization_id text COLLATE "C",
    id text COLLATE "C",
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    closed_at timestamptz(3),
    customer_filum_id text NOT NULL,
    customer_name text NOT NULL,
    customer_phone text NOT NULL,
    customer_email text NOT NULL,
    PRIMARY KEY (organization_id, id)
  );

  CREATE TABLE contact_center.activity (
    organization_id text COLLATE "C",
    id text COLLATE "C",
    conversation_id text COLLATE "C" NOT NULL,
    action text NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    -- Null together: the activity carried no agent.
    agent_account_id bigint,
    agent_email text,
    agent_name text,
    agent_is_service_account boolean,
    -- Order of the first arrivals.
    arrival bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX activity_of_conversation ON contact_center.activity (organization_id, conversation_id);

  CREATE TABLE contact_center.message (
    organization_id text COLLATE "C",
    id text COLLATE "C",
    conversation_id text COLLATE "C" NOT NULL,
    sender_type text NOT NULL,
    sent_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX message_of_conversation ON contact_center.message (organization_id, conversation_id);

  CREATE TABLE contact_center.ticket (
    organization_id text COLLATE "C",
    id bigint,
    conversation_id text COLLATE "C" NOT NULL,
    assignee_account_id bigint,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    subject text NOT NULL,
    description text NOT NULL,
    status text NOT NULL,
    priority text NOT NULL,
    due_date timestamptz(3),
    assigned_at timestamptz(3),
    resolved_at timestamptz(3),
    installed_source_id bigint,
    installed_source_name text NOT NULL,
    channel_type text NOT NULL,
    custom_fields json NOT NULL,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX ticket_of_conversation ON contact_center.ticket (organization_id, conversation_id);

  CREATE TABLE contact_center.conversation_survey (
    organization_id text COLLATE "C",
    id text COLLATE "C",
    conversation_id text COLLATE "C" NOT NULL,
    rating bigint,
    resolution smallint,
    feedback text NOT NULL,
    submitted_at timestamptz(3) NOT NULL,
    -- Order of the first arrivals.
    arrival bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX survey_of_conversation ON contact_center.conversation_survey (organization_id, conversation_id);

  -- A conversation that records name and whose own record has not arrived: they expire without it.
  CREATE TABLE contact_center.awaited_conversation (
    organization_id text COLLATE "C",
    id text COLLATE "C",
    -- The latest time that its records tell of.
    last_at timestamptz(3) NOT NULL,
    -- When the last of them has arrived.
    arrived_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX awaited_conversation_age ON contact_center.awaited_conversation (organization_id, last_at, id);

  CREATE TABLE contact_center.human_schedule (
    organization_id text COLLATE "C" PRIMARY KEY,
    version uuid NOT NULL,
    weekly json NOT NULL,
    exceptions json NOT NULL
  );
`;

/** The rows of the export and their buckets. The transaction that stores records writes them. */
const ROWS = `
  ${createJsonBytes('contact_center')}

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

  ${createBucketTable('contact_center')}
`;

/** Changes of rows. */
const CHANGES = `
  ${createChangeFeedTables('contact_center')}
  ${addRemovalReasons('contact_center')}

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
`;

/** Erasure and retention: conversations are found by their person and by their age. An identifier has at most 255 characters. */
const ERASURE = `
  ${createErasureTables('contact_center')}
  ${createComparableFunctions('contact_center')}

  CREATE INDEX conversation_of_customer ON contact_center.conversation (organization_id, left(customer_filum_id, 255))
    WHERE customer_filum_id <> '';
  CREATE INDEX conversation_of_phone ON contact_center.conversation
    (organization_id, left(contact_center.comparable_phone(customer_phone), 255)) WHERE customer_phone <> '';
  CREATE INDEX conversation_of_email ON contact_center.conversation
    (organization_id, left(contact_center.comparable_email(customer_email), 255)) WHERE customer_email <> '';
  -- Not by updated_at, so that updates stay within their page.
  CREATE INDEX conversation_age ON contact_center.conversation (organization_id, created_at, id);
`;
