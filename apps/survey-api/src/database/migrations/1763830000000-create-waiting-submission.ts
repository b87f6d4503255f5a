import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWaitingSubmission1763830000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- What respondents sent while a long intake had the turn of their organization. It is part of no list and no export until the
      -- turn comes, a moment after the intake has ended.
      CREATE TABLE survey.waiting_submission (
        organization_id text,
        identifier uuid,
        state text CHECK (state IN ('opened', 'answered')),
        campaign_id uuid NOT NULL,
        public_id text NOT NULL,
        answers json NOT NULL,
        submitted_at timestamptz(3) NOT NULL,
        PRIMARY KEY (organization_id, identifier, state)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE survey.waiting_submission');
  }
}
