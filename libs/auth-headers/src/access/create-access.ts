import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccess1795824000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE access.organization (
        id text PRIMARY KEY CHECK (id <> ''),
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE access.api_token (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        organization_id text NOT NULL REFERENCES access.organization (id),
        name text NOT NULL,
        hash bytea NOT NULL CONSTRAINT api_token_hash_unique UNIQUE,
        permissions jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        replaced_by uuid REFERENCES access.api_token (id)
      );
      CREATE INDEX api_token_organization ON access.api_token (organization_id, created_at);
      COMMENT ON COLUMN access.api_token.hash IS 'SHA-256 of the token, which is stored nowhere.';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE access.api_token, access.organization');
  }
}
