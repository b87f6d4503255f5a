import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountCampaignsByStatus1763800100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Each status is written once for all its campaigns: a list's total is counted over a fraction of the table's pages.
      CREATE INDEX campaign_count ON survey.campaign (organization_id, status);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX survey.campaign_count');
  }
}
