import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateResponseDraft1763810000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- What a respondent has typed and not sent: in a table of its own, no list and no export can show it.
      CREATE TABLE survey.response_draft (
        organization_id text,
        identifier uuid,
        campaign_id uuid NOT NULL,
        answers json NOT NULL,
        saved_at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, identifier)
      );
      CREATE INDEX response_draft_age ON survey.response_draft (saved_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE survey.response_draft');
  }
}
