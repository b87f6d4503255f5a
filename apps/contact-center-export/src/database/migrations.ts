import { addRemovalReasons, createChangeFeedTables, simplifyHintTable } from '@cxp/change-feed';
import { createErasureTables, keepErasuresApart } from '@cxp/erasure';
import { createBucketTable } from '@cxp/pagination';
import { createJsonBytes } from '@cxp/storage';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateContactCenter1764020000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(RECORDS);
    await queryRunner.query(ROWS);
    await queryRunner.query(CHANGES);
    await queryRunner.query(createErasureTables('contact_center'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA contact_center CASCADE');
  }
}

/** The records of the platform. A conversation is no foreign key: records may arrive in any order. */
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
`;

export class SimplifyHints1764041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(simplifyHintTable('contact_center'));
  }

  async down(): Promise<void> {}
}

export class KeepErasuresApart1764050000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(keepErasuresApart('contact_center', ['conversation', 'ticket']));
  }

  async down(): Promise<void> {}
}

/** Times are kept to the microsecond. A type without the limit to milliseconds is the same on disk: nothing is rewritten. */
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

/** Oldest first. */
export const migrations = [
  CreateContactCenter1764020000000,
  SimplifyHints1764041000000,
  KeepErasuresApart1764050000000,
  KeepMicroseconds1764060000000,
];
