import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebchat1763700100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webchat.installed_source (
        organization_id text NOT NULL,
        id bigint NOT NULL,
        name text NOT NULL,
        channel_type text NOT NULL,
        active boolean NOT NULL,
        PRIMARY KEY (organization_id, id)
      );
      CREATE TABLE webchat.conversation (
        organization_id text NOT NULL,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        user_id text NOT NULL,
        user_name text,
        user_email text,
        user_phone text,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, id),
        CONSTRAINT conversation_user_unique UNIQUE (organization_id, user_id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webchat.conversation, webchat.installed_source');
  }
}
