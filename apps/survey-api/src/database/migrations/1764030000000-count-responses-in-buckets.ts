import { createBucketTable } from '@cxp/pagination';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Responses are counted in buckets instead of blocks, and each of them has a number: the feed has those of all campaigns. */
export class CountResponsesInBuckets1764030000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION IF EXISTS survey.submit(text, json, text[], bytea[], text, text);
      DROP FUNCTION IF EXISTS survey.store_submissions(text, json, text[], bytea[]);
      DROP TABLE survey.response_block;

      ${createBucketTable('survey')}
      INSERT INTO survey.bucket (organization_id, list, starts_at, rows, digest)
      SELECT organization_id, campaign_id::text, date_bin('15 minutes', earliest_at, 'epoch'), count(*), bit_xor(digest)
      FROM survey.response GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

      DELETE FROM survey.change_removal AS removal USING survey.response
      WHERE removal.organization_id = response.organization_id AND response.change IS NULL
        AND op = 'delete' AND key = '{"identifier":"' || identifier || '"}';
      WITH unnumbered AS (
        SELECT organization_id, identifier, row_number() OVER (PARTITION BY organization_id ORDER BY earliest_at) AS place
        FROM survey.response WHERE change IS NULL
      ), feed AS (
        INSERT INTO survey.change_feed AS feed (organization_id, last)
        SELECT organization_id, max(place) FROM unnumbered GROUP BY organization_id
        ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last
        RETURNING organization_id, last
      )
      UPDATE survey.response SET change = feed.last + 1 - place
      FROM unnumbered JOIN feed USING (organization_id)
      WHERE response.organization_id = unnumbered.organization_id AND response.identifier = unnumbered.identifier;
      -- The index of changes stays partial: only statements that ask for changes use it, and none to find all rows of an organization.
      ALTER TABLE survey.response ALTER COLUMN change SET NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE survey.bucket');
  }
}
