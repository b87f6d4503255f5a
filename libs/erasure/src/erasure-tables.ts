/** SQL of the tables that an area keeps erasures in, for a migration. */
export function createErasureTables(schema: string): string {
  return `
    CREATE TABLE ${schema}.erasure (
      organization_id text COLLATE "C",
      id uuid,
      mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
      -- SHA-256 of the subject and the mode: the same id has to come with the same ones. Null of an erasure that only its certificate
      -- has brought, until the first request with its id.
      subject_hash bytea,
      -- Null once the erasure is done.
      subject json,
      requested_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Null until it is done once. If it is applied again, it has a subject until that is done; then the time of what it found last.
      erased_at timestamptz(3),
      -- How many records of each kind it has found.
      found json NOT NULL DEFAULT '{}',
      last_change bigint,
      PRIMARY KEY (organization_id, id)
    );
    CREATE INDEX erasure_under_way ON ${schema}.erasure (requested_at) WHERE subject IS NOT NULL;
    CREATE INDEX erasure_of_subject ON ${schema}.erasure (organization_id, subject_hash);

    -- The keys of what was erased: records that have them don't come back. Beside them, of other types, those that an erasure that is
    -- applied again has yet to erase.
    CREATE TABLE ${schema}.erased_key (
      organization_id text COLLATE "C",
      type text COLLATE "C",
      id text COLLATE "C",
      mode text COLLATE "C" NOT NULL,
      erasure_id uuid NOT NULL,
      PRIMARY KEY (organization_id, type, id)
    );
    CREATE INDEX erased_key_of_erasure ON ${schema}.erased_key (organization_id, erasure_id);
  `;
}
