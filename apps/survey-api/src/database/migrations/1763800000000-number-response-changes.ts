import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NumberResponseChanges1763800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The number of the latest change to any response of an organization. Intakes of one organization take turns, so
      -- changes become visible in the order of their numbers: who has seen one has seen all before it.
      CREATE TABLE survey.response_change (
        organization_id text PRIMARY KEY,
        latest bigint NOT NULL
      );

      ALTER TABLE survey.response ADD COLUMN change bigint;
      UPDATE survey.response
      SET change = numbered.change
      FROM (
        SELECT organization_id, identifier,
          row_number() OVER (PARTITION BY organization_id ORDER BY earliest_at, identifier) AS change
        FROM survey.response
      ) AS numbered
      WHERE response.organization_id = numbered.organization_id AND response.identifier = numbered.identifier;
      INSERT INTO survey.response_change (organization_id, latest)
      SELECT organization_id, max(change) FROM survey.response GROUP BY organization_id;

      ALTER TABLE survey.response ALTER COLUMN change SET NOT NULL;
      CREATE INDEX response_changes
        ON survey.response (organization_id, campaign_id, change) INCLUDE (earliest_at, identifier);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE survey.response DROP COLUMN change;
      DROP TABLE survey.response_change;
    `);
  }
}
