import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebchat1795700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webchat.installed_source (
        organization_id text COLLATE "C" NOT NULL,
        id bigint NOT NULL,
        name text NOT NULL,
        channel_type text NOT NULL,
        active boolean NOT NULL,
        PRIMARY KEY (organization_id, id)
      );

      CREATE TABLE webchat.conversation (
        organization_id text COLLATE "C" NOT NULL,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        user_id text NOT NULL,
        user_name text,
        user_email text,
        user_phone text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        closed_at timestamptz,
        agent jsonb,
        last_event bigint NOT NULL DEFAULT 0,
        -- The last event that is no read mark.
        last_readable bigint NOT NULL DEFAULT 0,
        customer_read bigint NOT NULL DEFAULT 0,
        agent_read bigint NOT NULL DEFAULT 0,
        -- Area B has something of it, or will have.
        is_delivered boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, id),
        CONSTRAINT conversation_user_unique UNIQUE (organization_id, user_id)
      );

      -- What happens in conversations, in their order. Written by append_events only.
      CREATE TABLE webchat.event (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        event bigint NOT NULL,
        type text COLLATE "C" NOT NULL,
        id text COLLATE "C",
        client_id text COLLATE "C",
        stored_at timestamptz NOT NULL,
        payload jsonb NOT NULL,
        PRIMARY KEY (organization_id, conversation_id, event)
      );
      CREATE UNIQUE INDEX event_id_unique ON webchat.event (organization_id, type, id) WHERE id IS NOT NULL;
      CREATE UNIQUE INDEX event_client_id_unique ON webchat.event (organization_id, conversation_id, type, client_id)
        WHERE client_id IS NOT NULL;
      CREATE INDEX event_type ON webchat.event (organization_id, conversation_id, type, event);

      -- What the user of a conversation was ever named by, but for the user id of the conversation: kind and comparable value
      -- (conversation.repository.ts). Its own columns hold what was sent last with a new session.
      CREATE TABLE webchat.conversation_identifier (
        organization_id text COLLATE "C",
        conversation_id uuid,
        identifier text COLLATE "C",
        PRIMARY KEY (organization_id, conversation_id, identifier)
      );
      CREATE INDEX conversation_identifier_found ON webchat.conversation_identifier (organization_id, identifier);

      -- Conversations of which area B does not have everything yet.
      CREATE TABLE webchat.undelivered (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        -- Another one after each change: what was read before a change does not end the row.
        revision bigint NOT NULL DEFAULT 1,
        -- The last event that area B has.
        delivered_event bigint NOT NULL DEFAULT 0,
        -- It was erased: area B removes it, and keeps its key.
        is_erased boolean NOT NULL DEFAULT false,
        since timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        next_try_at timestamptz NOT NULL DEFAULT now(),
        -- The process that sends it has until then.
        leased_until timestamptz,
        last_error text,
        PRIMARY KEY (organization_id, conversation_id)
      );
      CREATE INDEX undelivered_due ON webchat.undelivered (organization_id, next_try_at);

      CREATE TABLE webchat.erasure (
        organization_id text COLLATE "C",
        id uuid,
        mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
        -- SHA-256 of the subject and the mode: the same id has to come with the same ones. Null of an erasure that only its certificate
        -- has brought, until the first request with its id.
        subject_hash bytea,
        -- Null once the erasure is done.
        subject json,
        requested_at timestamptz(3) NOT NULL DEFAULT now(),
        -- Null until it is done once. If it is applied again, it has a subject until that is done; then the time of what it found last.
        erased_at timestamptz(3),
        -- How many records of each kind it has found.
        found json NOT NULL DEFAULT '{}',
        last_change bigint,
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX erasure_under_way ON webchat.erasure (requested_at) WHERE subject IS NOT NULL;
      CREATE INDEX erasure_of_subject ON webchat.erasure (organization_id, subject_hash);

      -- The keys of what was erased: records that have them don't come back. Beside them, of other types, those that an erasure that is
      -- applied again has yet to erase.
      CREATE TABLE webchat.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        mode text COLLATE "C" NOT NULL,
        erasure_id uuid NOT NULL,
        PRIMARY KEY (organization_id, type, id)
      );
      CREATE INDEX erased_key_of_erasure ON webchat.erased_key (organization_id, erasure_id);

      -- For erasure and retention.
      CREATE INDEX conversation_created ON webchat.conversation (organization_id, created_at, id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA webchat CASCADE');
  }
}
