import { createHintTable } from './hints/hint-table';

/**
 * The tables of a change feed, for a migration of the area that has one. The rows of the feed stay in the area's own table,
 * which needs a column `change bigint` and an index on (organization_id, change).
 */
export function createChangeFeedTables(schema: string): string {
  return `
    CREATE TABLE ${schema}.change_feed (
      organization_id text COLLATE "C" PRIMARY KEY,
      -- The last number that was assigned. Its row is the lock under which numbers are assigned.
      last bigint NOT NULL,
      -- The greatest number of a removal that was pruned.
      pruned bigint NOT NULL DEFAULT 0
    );

    -- Keys that have no row any more (delete), and reasons to read everything again (resync).
    CREATE TABLE ${schema}.change_removal (
      organization_id text COLLATE "C",
      op text COLLATE "C" CHECK (op IN ('delete', 'resync')),
      -- Of a delete the key as JSON text, as it is answered; of a resync the reason.
      key text COLLATE "C",
      -- 0 until the end of the transaction.
      change bigint NOT NULL DEFAULT 0,
      recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (organization_id, op, key)
    );
    CREATE INDEX change_removal_order ON ${schema}.change_removal (organization_id, change);
    CREATE INDEX change_removal_age ON ${schema}.change_removal (recorded_at) WHERE op = 'delete';

    -- One row.
    CREATE TABLE ${schema}.change_epoch (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      -- Cursors of another epoch, or of another database, are expired.
      epoch uuid NOT NULL DEFAULT gen_random_uuid(),
      -- Used by the previous release only.
      identity text NOT NULL DEFAULT '',
      -- Authenticates cursors.
      cursor_key bytea NOT NULL,
      -- Used by the previous release only.
      maintained_at timestamptz NOT NULL DEFAULT '-infinity'
    );
    INSERT INTO ${schema}.change_epoch (cursor_key)
    SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

    ${createHintTable(schema)}
  `;
}

/** The column of why a key has no row any more, for a migration that follows the one of the tables. */
export function addRemovalReasons(schema: string): string {
  return `
    -- Of a delete: 'removed', 'erased' or 'expired'.
    ALTER TABLE ${schema}.change_removal ADD COLUMN reason text COLLATE "C" NOT NULL DEFAULT 'removed';
  `;
}
