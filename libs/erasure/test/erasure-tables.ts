/** SQL: the tables that an area keeps erasures in. */
export const ERASURE_TABLES = `
  CREATE TABLE letter.erasure (
    organization_id text COLLATE "C",
    id uuid,
    mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
    subject_hash bytea,
    -- Null once the erasure is done.
    subject json,
    requested_at timestamptz(3) NOT NULL DEFAULT now(),
    erased_at timestamptz(3),
    -- How many records of each kind it has found.
    found json NOT NULL DEFAULT '{}',
    last_change bigint,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX erasure_under_way ON letter.erasure (requested_at) WHERE subject IS NOT NULL;
  CREATE INDEX erasure_of_subject ON letter.erasure (organization_id, subject_hash);

  -- The keys of what was erased: records that have them don't come back.
  CREATE TABLE letter.erased_key (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    mode text COLLATE "C" NOT NULL,
    erasure_id uuid NOT NULL,
    PRIMARY KEY (organization_id, type, id)
  );
  CREATE INDEX erased_key_of_erasure ON letter.erased_key (organization_id, erasure_id);
  ALTER TABLE letter.erasure
    ALTER COLUMN mode SET DEFAULT 'delete',
    -- Of steps that have not succeeded since the last one that has.
    ADD COLUMN attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now();
  ALTER TABLE letter.erased_key
    ALTER COLUMN mode SET DEFAULT 'delete',
    ALTER COLUMN erasure_id SET DEFAULT '00000000-0000-0000-0000-000000000000';
  CREATE INDEX erasure_due ON letter.erasure (next_try_at) WHERE erased_at IS NULL;

  -- The keys in a certificate, in parts: those of a step, or some of a certificate that is applied again.
  CREATE TABLE letter.erasure_keys (
    organization_id text COLLATE "C",
    erasure_id uuid,
    part integer,
    type text COLLATE "C" NOT NULL,
    ids text[] COLLATE "C" NOT NULL,
    -- It is applied again, and a step has still to erase what has these keys.
    is_left boolean NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, erasure_id, part)
  );
  INSERT INTO letter.erasure_keys (organization_id, erasure_id, part, type, ids)
  SELECT erasure.organization_id, erasure.id, row_number() OVER (PARTITION BY erasure.organization_id, erasure.id),
    erased_key.type, array_agg(DISTINCT erased_key.id)
  FROM letter.erasure
  JOIN letter.erasure AS same ON same.organization_id = erasure.organization_id
    AND (same.id = erasure.id OR same.subject_hash = erasure.subject_hash)
  JOIN letter.erased_key ON erased_key.organization_id = same.organization_id AND erased_key.erasure_id = same.id
  WHERE erased_key.type IN ('letter')
  GROUP BY erasure.organization_id, erasure.id, erased_key.type;

  -- Certificates that are being applied again: their keys that are left had types of their own.
  INSERT INTO letter.erasure_keys (organization_id, erasure_id, part, type, ids, is_left)
  SELECT organization_id, split_part(type, ' of ', 2)::uuid, 1000 + row_number() OVER (PARTITION BY organization_id),
    split_part(id, ' ', 1), array_agg(substr(id, strpos(id, ' ') + 1)), true
  FROM letter.erased_key WHERE type LIKE 'new of %' OR type LIKE 'known of %'
  GROUP BY organization_id, type, split_part(id, ' ', 1);
  UPDATE letter.erasure SET subject = NULL, erased_at = NULL WHERE subject IS NOT NULL AND erased_at IS NOT NULL;
  UPDATE letter.erasure SET subject_hash = NULL WHERE subject IS NULL;
`;
