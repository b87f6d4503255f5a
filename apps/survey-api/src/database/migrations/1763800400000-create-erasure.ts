import { createComparableFunctions, createErasureTables } from '@cxp/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateErasure1763800400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${createErasureTables('survey')}
      ${createComparableFunctions('survey')}

      -- The same for all texts that compare as one identifier, of whatever kind: without case, separators, and what is not ASCII (or a Kelvin
      -- sign, whose small letter is a k). To compare exactly takes ten times as long. Null: too long for an identifier.
      -- Not strict: PostgreSQL then takes its body into indexes and queries.
      CREATE FUNCTION survey.identifier_hash(text) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql
        RETURN CASE WHEN length($1) <= 1000
          THEN hashtextextended(regexp_replace(lower($1 COLLATE "C"), '[^a-jl-z0-9]', '', 'g'), 0)
        END;
      -- Of all texts in a value, other ones for each organization: an index of them needs no column of the organization.
      CREATE FUNCTION survey.identifier_hashes(organization text, value json) RETURNS bigint[]
        IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
        RETURN ARRAY(
          SELECT survey.identifier_hash(found #>> '{}') # hashtextextended(organization, 0)
          FROM jsonb_path_query(value::jsonb, 'strict $.** ? (@.type() == "string")') AS found
        );

      -- What could be erased of it is erased, and it was kept.
      ALTER TABLE survey.response ADD COLUMN is_anonymized boolean NOT NULL DEFAULT false;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE survey.response DROP COLUMN is_anonymized;
      DROP FUNCTION survey.identifier_hashes, survey.identifier_hash, survey.comparable_email, survey.comparable_phone;
      DROP TABLE survey.erasure_secret, survey.erased_key, survey.erasure;
    `);
  }
}
