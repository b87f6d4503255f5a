import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMessages1763700500000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webchat.conversation
        ADD COLUMN updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        ADD COLUMN closed_at timestamptz,
        ADD COLUMN last_sequence bigint NOT NULL DEFAULT 0,
        ADD COLUMN customer_read_sequence bigint NOT NULL DEFAULT 0,
        ADD COLUMN agent_read_sequence bigint NOT NULL DEFAULT 0;

      CREATE TABLE webchat.message (
        organization_id text NOT NULL,
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
        organization_id text NOT NULL,
        id text NOT NULL,
        conversation_id uuid NOT NULL,
        action text NOT NULL,
        occurred_at timestamptz NOT NULL,
        agent jsonb,
        CONSTRAINT activity_id_unique PRIMARY KEY (organization_id, id)
      );

      CREATE TABLE webchat.outbox (
        organization_id text NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY,
        conversation_id uuid NOT NULL,
        message_sequence bigint,
        activity_id text,
        PRIMARY KEY (organization_id, position)
      );
      CREATE INDEX outbox_position ON webchat.outbox (position);

      INSERT INTO webchat.outbox (organization_id, conversation_id)
      SELECT organization_id, id FROM webchat.conversation;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE webchat.outbox, webchat.activity, webchat.message;
      ALTER TABLE webchat.conversation
        DROP COLUMN updated_at,
        DROP COLUMN closed_at,
        DROP COLUMN last_sequence,
        DROP COLUMN customer_read_sequence,
        DROP COLUMN agent_read_sequence;
    `);
  }
}
