import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which responses and links of a person are found. */
const INDEXES = {
  response_phone: `survey.response (organization_id, survey.identifier_hash(user_phone)) WHERE user_phone <> ''`,
  response_email: `survey.response (organization_id, survey.identifier_hash(user_email)) WHERE user_email <> ''`,
  response_metadata: `survey.response USING gin (survey.identifier_hashes(organization_id, metadata_mappings))
    WHERE metadata_mappings IS NOT NULL`,
  link_metadata: 'survey.link USING gin (survey.identifier_hashes(organization_id, metadata_mapping))',
};

/** Responses go on arriving while these are built. */
export class IndexPersons1763800401000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      // Of a run that was interrupted.
      await queryRunner.query(`DROP INDEX IF EXISTS survey.${name}`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await queryRunner.query(`DROP INDEX survey.${name}`);
  }
}
