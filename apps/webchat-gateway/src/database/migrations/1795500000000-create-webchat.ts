import { createComparableFunctions, createErasureTables } from '@cxp/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FIND_OR_CREATE_FUNCTION } from '../../conversations/find-or-create-function';
import { APPEND_FUNCTION } from '../../messages/append-function';

export class CreateWebchat1795500000000 implements MigrationInterface {
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
        last_sequence bigint NOT NULL DEFAULT 0,
        customer_read_sequence bigint NOT NULL DEFAULT 0,
        agent_read_sequence bigint NOT NULL DEFAULT 0,
        -- Area B has something of it, or will have.
        is_delivered boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, id),
        CONSTRAINT conversation_user_unique UNIQUE (organization_id, user_id)
      );

      CREATE TABLE webchat.message (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        sequence bigint NOT NULL,
        id text NOT NULL,
        client_id text,
        sender_type text NOT NULL,
        sender_name text,
        text text NOT NULL,
        sent_at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, conversation_id, sequence),
        CONSTRAINT message_id_unique UNIQUE (organization_id, id),
        CONSTRAINT message_client_id_unique UNIQUE (organization_id, conversation_id, client_id)
      );

      CREATE TABLE webchat.activity (
        organization_id text COLLATE "C" NOT NULL,
        id text NOT NULL,
        conversation_id uuid NOT NULL,
        event bigint NOT NULL,
        action text NOT NULL,
        occurred_at timestamptz NOT NULL,
        agent jsonb,
        CONSTRAINT activity_id_unique PRIMARY KEY (organization_id, id)
      );

      CREATE TABLE webchat.event (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        event bigint NOT NULL,
        type text NOT NULL,
        message_sequence bigint,
        payload jsonb NOT NULL,
        PRIMARY KEY (organization_id, conversation_id, event)
      );

      CREATE TABLE webchat.rating (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        request_event bigint NOT NULL,
        event bigint,
        client_id text,
        rating smallint,
        resolution smallint,
        feedback text,
        submitted_at timestamptz,
        PRIMARY KEY (organization_id, conversation_id, request_event),
        CONSTRAINT rating_client_id_unique UNIQUE (organization_id, conversation_id, client_id)
      );

      -- What A1 has matched the user of a conversation by, but for the user id of the conversation: kind and comparable value. Its own
      -- columns say what was sent last with a new session.
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

      ${createErasureTables('webchat')}
      ${createComparableFunctions('webchat')}
      ${FIND_OR_CREATE_FUNCTION};
      ${APPEND_FUNCTION};

      -- For erasure and retention.
      CREATE INDEX conversation_phone ON webchat.conversation (organization_id, webchat.comparable_phone(user_phone))
        WHERE user_phone <> '';
      CREATE INDEX conversation_email ON webchat.conversation (organization_id, webchat.comparable_email(user_email))
        WHERE user_email <> '';
      CREATE INDEX conversation_created ON webchat.conversation (organization_id, created_at, id);
      CREATE INDEX activity_conversation ON webchat.activity (organization_id, conversation_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA webchat CASCADE');
  }
}
