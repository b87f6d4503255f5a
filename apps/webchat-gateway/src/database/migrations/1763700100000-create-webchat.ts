import { rejectedRecordTable } from '@cxp/record-intake';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebchat1763700100000 implements MigrationInterface {
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

      CREATE TABLE webchat.outbox (
        organization_id text COLLATE "C" NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        conversation_id uuid NOT NULL,
        message_sequence bigint,
        activity_id text,
        rating_request bigint,
        -- When the conversation changed: its changes are sent in this order, whichever server numbers positions.
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, position)
      );
      CREATE INDEX outbox_oldest ON webchat.outbox (created_at, position);

      ${rejectedRecordTable('webchat')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DROP TABLE webchat.rejected_record, webchat.outbox, webchat.rating, webchat.event, webchat.activity, webchat.message, webchat.conversation,
        webchat.installed_source`,
    );
  }
}
