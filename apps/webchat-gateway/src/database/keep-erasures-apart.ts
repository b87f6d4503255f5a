import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepErasuresApart1795900000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webchat.erasure
        ALTER COLUMN mode SET DEFAULT 'delete',
        -- Of steps that have not succeeded since the last one that has.
        ADD COLUMN attempts integer NOT NULL DEFAULT 0,
        ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now();
      ALTER TABLE webchat.erased_key
        ALTER COLUMN mode SET DEFAULT 'delete',
        ALTER COLUMN erasure_id SET DEFAULT '00000000-0000-0000-0000-000000000000';
      CREATE INDEX erasure_due ON webchat.erasure (next_try_at) WHERE erased_at IS NULL;

      -- The keys in a certificate, in parts: those of a step, or some of a certificate that is applied again.
      CREATE TABLE webchat.erasure_keys (
        organization_id text COLLATE "C",
        erasure_id uuid,
        part integer,
        type text COLLATE "C" NOT NULL,
        ids text[] COLLATE "C" NOT NULL,
        -- It is applied again, and a step has still to erase what has these keys.
        is_left boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, erasure_id, part)
      );
      INSERT INTO webchat.erasure_keys (organization_id, erasure_id, part, type, ids)
      SELECT erasure.organization_id, erasure.id, row_number() OVER (PARTITION BY erasure.organization_id, erasure.id),
        erased_key.type, array_agg(DISTINCT erased_key.id)
      FROM webchat.erasure
      JOIN webchat.erasure AS same ON same.organization_id = erasure.organization_id
        AND (same.id = erasure.id OR same.subject_hash = erasure.subject_hash)
      JOIN webchat.erased_key ON erased_key.organization_id = same.organization_id AND erased_key.erasure_id = same.id
      WHERE erased_key.type IN ('conversation')
      GROUP BY erasure.organization_id, erasure.id, erased_key.type;

      -- Certificates that are being applied again: their keys that are left had types of their own.
      INSERT INTO webchat.erasure_keys (organization_id, erasure_id, part, type, ids, is_left)
      SELECT organization_id, split_part(type, ' of ', 2)::uuid, 1000 + row_number() OVER (PARTITION BY organization_id),
        split_part(id, ' ', 1), array_agg(substr(id, strpos(id, ' ') + 1)), true
      FROM webchat.erased_key WHERE type LIKE 'new of %' OR type LIKE 'known of %'
      GROUP BY organization_id, type, split_part(id, ' ', 1);
      UPDATE webchat.erasure SET subject = NULL, erased_at = NULL WHERE subject IS NOT NULL AND erased_at IS NOT NULL;
      UPDATE webchat.erasure SET subject_hash = NULL WHERE subject IS NULL;
      -- What has the keys that are left is still there: the release before kept them as erased from the beginning.
      DELETE FROM webchat.erased_key USING webchat.erasure_keys AS kept
      WHERE kept.is_left AND erased_key.organization_id = kept.organization_id AND erased_key.type = kept.type
        AND erased_key.id = ANY (kept.ids);
    `);
  }

  async down(): Promise<void> {}
}
