import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes that are waiting by then get the time of the migration. */
export class AddOutboxAge1763800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webchat.outbox ADD COLUMN created_at timestamptz DEFAULT now()');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webchat.outbox DROP COLUMN created_at');
  }
}
