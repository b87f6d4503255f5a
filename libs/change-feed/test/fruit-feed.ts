import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrate, textColumn, type DatabaseSchema } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import {
  ChangeFeed,
  ChangeFeedMaintenance,
  ChangeRepository,
  ChangeWatch,
  type FeedDefinition,
} from '../src';

class CreateFruit1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE fruit.fruit (
        organization_id text COLLATE "C", name text, colour text NOT NULL, change bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (organization_id, name)
      );
      CREATE INDEX fruit_changes ON fruit.fruit (organization_id, change);
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
        -- Encrypted. Hints are also signed with the previous secrets, until they end.
        secret text NOT NULL,
        previous_secrets jsonb NOT NULL DEFAULT '[]',
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
    `);
  }

  async down(): Promise<void> {}
}

const fruitDatabase: DatabaseSchema = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000000],
};

export const FRUIT_FEED: FeedDefinition = {
  name: 'fruit',
  schema: 'fruit',
  table: 'fruit.fruit',
  columns: { name: textColumn('row.name'), colour: textColumn('row.colour') },
  mode: 'prepared',
  bytes: 'octet_length(colour)',
};

export interface Fruit {
  readonly name: string;
  readonly colour: string;
}

/** A feed over a table of two columns, as an area would have it. */
export interface FruitFeed {
  readonly url: string;
  readonly dataSource: DataSource;
  readonly feed: ChangeFeed<Fruit>;
  page: ChangeFeed<Fruit>['page'];
  readonly watch: ChangeWatch;
  readonly maintenance: ChangeFeedMaintenance;
  /** Changes rows in one transaction; a colour of null removes. */
  store(
    organizationId: string,
    fruits: Record<string, string | null>,
    beforeCommit?: () => Promise<void>,
  ): Promise<void>;
  /** The rows of an organization, as they are. */
  rows(organizationId: string): Promise<Record<string, string>>;
  drop(): Promise<void>;
}

export async function createFruitFeed(removalsKeptDays = 90): Promise<FruitFeed> {
  const database = await createTestDatabase([fruitDatabase], migrate);
  const dataSource = await new DataSource({
    type: 'postgres',
    url: database.url,
    poolSize: 20,
  }).initialize();
  const watch = new ChangeWatch(dataSource.manager, 'fruit');
  const feed = new ChangeFeed<Fruit>(dataSource.manager, FRUIT_FEED, watch);
  return {
    url: database.url,
    dataSource,
    feed,
    page: (organizationId, request) => feed.page(organizationId, request),
    watch,
    maintenance: new ChangeFeedMaintenance(dataSource, { schema: 'fruit', removalsKeptDays }),
    store: (organizationId, fruits, beforeCommit) =>
      dataSource.transaction(async (manager) => {
        const changes = new ChangeRepository(manager, 'fruit');
        const names = Object.keys(fruits);
        const removed = names.filter((name) => fruits[name] === null);
        const kept = names.filter((name) => fruits[name] !== null);
        const keysOf = (of: readonly string[]) => of.map((name) => JSON.stringify({ name }));
        const first = await changes.takeNumbers(organizationId, names.length);
        await manager.query('DELETE FROM fruit.fruit WHERE organization_id = $1 AND name = ANY ($2)', [
          organizationId,
          removed,
        ]);
        const removals = keysOf(removed).map((key) => ({ key, reason: 'removed' as const }));
        await changes.addRemovals(organizationId, removals, first);
        for (const [place, name] of kept.entries()) {
          await manager.query(
            `INSERT INTO fruit.fruit VALUES ($1, $2, $3, $4)
             ON CONFLICT (organization_id, name) DO UPDATE SET colour = excluded.colour, change = excluded.change`,
            [organizationId, name, fruits[name], first + removed.length + place],
          );
        }
        await changes.deleteRemovals(organizationId, keysOf(kept));
        await beforeCommit?.();
      }),
    rows: async (organizationId) => {
      const rows = await dataSource.query<Fruit[]>(
        'SELECT name, colour FROM fruit.fruit WHERE organization_id = $1',
        [organizationId],
      );
      return Object.fromEntries(rows.map(({ name, colour }) => [name, colour]));
    },
    drop: async () => {
      watch.stop();
      await dataSource.destroy();
      await database.drop();
    },
  };
}
