import type { MigrationInterface, QueryRunner } from 'typeorm';

/** New tables, and a column of the outbox that the previous release leaves null. */
export class CreateEvents1763800100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webchat.event (
        organization_id text NOT NULL,
        conversation_id uuid NOT NULL,
        event bigint NOT NULL,
        type text NOT NULL,
        message_sequence bigint,
        payload jsonb NOT NULL,
        PRIMARY KEY (organization_id, conversation_id, event)
      );

      CREATE TABLE webchat.rating (
        organization_id text NOT NULL,
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

      ALTER TABLE webchat.outbox ADD COLUMN rating_request bigint;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webchat.outbox DROP COLUMN rating_request;
      DROP TABLE webchat.rating, webchat.event;
    `);
  }
}
