/** SQL: the tables that an area keeps erasures in. */
export const ERASURE_TABLES = `
  CREATE TABLE letter.erasure (
    organization_id text COLLATE "C",
    id uuid,
    -- Null once the erasure is done.
    subject json,
    requested_at timestamptz(3) NOT NULL DEFAULT now(),
    erased_at timestamptz(3),
    -- How many records of each kind it has found.
    found json NOT NULL DEFAULT '{}',
    last_change bigint,
    -- Of steps that have not succeeded since the last one that has.
    attempts integer NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    -- Used by the release before only.
    mode text COLLATE "C" NOT NULL DEFAULT 'delete',
    subject_hash bytea,
    PRIMARY KEY (organization_id, id)
  );
  CREATE INDEX erasure_due ON letter.erasure (next_try_at) WHERE erased_at IS NULL;

  -- The keys of what was erased: records that have them don't come back.
  CREATE TABLE letter.erased_key (
    organization_id text COLLATE "C",
    type text COLLATE "C",
    id text COLLATE "C",
    PRIMARY KEY (organization_id, type, id)
  );

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
`;
