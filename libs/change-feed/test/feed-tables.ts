/** SQL: the tables of a change feed, as the areas have them. */
export const FEED_TABLES = `
  CREATE TABLE fruit.change_feed (
    organization_id text COLLATE "C" PRIMARY KEY,
    -- The last number that was assigned. Its row is the lock under which numbers are assigned.
    last bigint NOT NULL,
    -- The greatest number of a removal that was pruned.
    pruned bigint NOT NULL DEFAULT 0
  );

  -- Keys that have no row any more (delete), and reasons to read everything again (resync).
  CREATE TABLE fruit.change_removal (
    organization_id text COLLATE "C",
    op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
    -- Of a delete the key as JSON text, as it is answered; of a resync the reason.
    key text COLLATE "C",
    -- Of a delete: 'removed', 'erased' or 'expired'.
    reason text COLLATE "C" NOT NULL DEFAULT 'removed',
    -- 0 until the end of the transaction.
    change bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, op, key)
  );
  CREATE INDEX change_removal_order ON fruit.change_removal (organization_id, change);
  CREATE INDEX change_removal_age ON fruit.change_removal (recorded_at) WHERE op = 'delete';

  -- One row.
  CREATE TABLE fruit.change_epoch (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- Cursors of another epoch, or of another database, are expired.
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Authenticates cursors.
    cursor_key bytea NOT NULL
  );
  INSERT INTO fruit.change_epoch (cursor_key)
  SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

  -- A hint that waits is the difference between the last change of the organization and told_change.
  CREATE TABLE fruit.webhook_endpoint (
    organization_id text COLLATE "C",
    id uuid,
    url text NOT NULL,
    description text,
    -- Encrypted. Hints are also signed with the previous secret, until it ends.
    secret text NOT NULL,
    previous_secret text,
    previous_secret_until timestamptz,
    status text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'failing', 'disabled')),
    -- The number of the last hint that the endpoint accepted, and the epoch of this number.
    told_change bigint,
    told_epoch text,
    -- Attempts that have failed since the last one that did not.
    attempts integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    last_attempt_at timestamptz,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, id)
  );
`;
