import type { Grants } from '@cxp/storage';

/** SQL of the tables that an area keeps erasures in, for a migration. */
export function createErasureTables(schema: string): string {
  return `
    CREATE TABLE ${schema}.erasure (
      organization_id text COLLATE "C",
      id uuid,
      mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
      -- Of the subject, keyed: the same id has to come with the same one.
      subject_hash bytea NOT NULL,
      -- Encrypted; null once the erasure is done.
      subject bytea,
      -- Of an erasure that is applied again: how far the records have been compared with its keys.
      scanned_to text COLLATE "C",
      requested_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Null while it goes on.
      erased_at timestamptz(3),
      -- How many records of each kind it has found.
      found json NOT NULL DEFAULT '{}',
      last_change bigint,
      -- The hashes of its keys, encrypted.
      sealed text,
      PRIMARY KEY (organization_id, id)
    );
    CREATE INDEX erasure_under_way ON ${schema}.erasure (requested_at) WHERE erased_at IS NULL;
    CREATE INDEX erasure_of_subject ON ${schema}.erasure (organization_id, subject_hash);

    -- The keys of what was erased, as keyed hashes: records that have them don't come back.
    CREATE TABLE ${schema}.erased_key (
      organization_id text COLLATE "C",
      hash bytea,
      type text COLLATE "C" NOT NULL,
      mode text COLLATE "C" NOT NULL,
      erasure_id uuid NOT NULL,
      PRIMARY KEY (organization_id, hash)
    );
    CREATE INDEX erased_key_of_erasure ON ${schema}.erased_key (organization_id, erasure_id);

    -- One row. A backup has it, so that certificates can be read after it was restored.
    CREATE TABLE ${schema}.erasure_secret (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      secret bytea NOT NULL
    );
    INSERT INTO ${schema}.erasure_secret (secret)
    SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  `;
}

/** What serving needs of them. */
export const ERASURE_GRANTS: Grants = {
  erasure: ['SELECT', 'INSERT', 'UPDATE'],
  erased_key: ['SELECT', 'INSERT', 'UPDATE'],
  erasure_secret: ['SELECT'],
};
