import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { createTestDatabase, needs, type TestDatabase } from '@cxp/testing';
import { areaProblem } from './area-rights';
import type { DatabaseArea } from './database-area';
import { distribute } from './distribute';
import { undistributable } from './distribution';
import { migrate } from './migrate';

class CreateFruit1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE fruit.apple (organization_id text, id bigint GENERATED ALWAYS AS IDENTITY, name text, PRIMARY KEY (organization_id, id));
      INSERT INTO fruit.apple (organization_id, name) SELECT 'org' || n % 9, 'apple ' || n FROM generate_series(1, 90) AS n;
      CREATE TABLE fruit.epoch (is_only boolean PRIMARY KEY);
      CREATE FUNCTION fruit.add(organization_id text, name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO fruit.apple (organization_id, name) VALUES (add.organization_id, add.name);
      END $$;
    `);
  }
  async down(): Promise<void> {}
}

class CreatePear1700000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE fruit.pear (organization_id text PRIMARY KEY)');
  }
  async down(): Promise<void> {}
}

const FRUIT: DatabaseArea = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000001],
};
const LATER: DatabaseArea = { ...FRUIT, migrations: [...FRUIT.migrations, CreatePear1700000000002] };

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** What it says of the schema; the rest is of the cluster. */
async function distributed(area: DatabaseArea): Promise<string[]> {
  return (await distribute(area, database.url)).filter((line) => line.startsWith('fruit.'));
}

const { describe: onCluster } = needs('Citus', process.env.CITUS_URL);

onCluster('distribute, on the cluster of CITUS_URL', () => {
  it('keeps the rows, spreads what later migrations add, and changes nothing when it is repeated', async () => {
    await migrate(FRUIT, database.url);
    expect(await distributed(FRUIT)).toEqual([
      'fruit.apple: distributed by organization_id',
      'fruit.epoch: stays on the coordinator, its key does not begin with organization_id',
      'fruit.migration: stays on the coordinator, its key does not begin with organization_id',
      'fruit.add(text,text): now runs on the worker of its organization',
    ]);
    const rows = async () => {
      await client.query(`SELECT fruit.add('org1', 'more')`);
      return (await client.query(`SELECT count(*)::int FROM fruit.apple WHERE organization_id = 'org1'`))
        .rows;
    };
    expect(await rows()).toEqual([{ count: 11 }]);

    await migrate(LATER, database.url);
    expect(await areaProblem(client, LATER)).toBe(
      'only a part of schema fruit is distributed, and not fruit.pear: run npx cxp distribute',
    );
    expect(await distributed(LATER)).toEqual([
      'fruit.apple: is distributed',
      'fruit.epoch: stays on the coordinator, its key does not begin with organization_id',
      'fruit.migration: stays on the coordinator, its key does not begin with organization_id',
      'fruit.pear: distributed by organization_id',
      'fruit.add(text,text): runs on the worker of its organization',
    ]);
    expect(await areaProblem(client, LATER)).toBeUndefined();
    expect(await rows()).toEqual([{ count: 12 }]);
    const shards = await client.query(
      `SELECT count(DISTINCT colocationid)::int AS groups, count(*)::int AS tables FROM pg_dist_partition`,
    );
    expect(shards.rows).toEqual([{ groups: 1, tables: 2 }]);
  });

  it('changes nothing when a table refuses', async () => {
    await migrate(LATER, database.url);
    await client.query('ALTER TABLE fruit.pear ADD FOREIGN KEY (organization_id) REFERENCES fruit.pear');
    await expect(distribute(LATER, database.url)).rejects.toThrow(
      "fruit can't be distributed: fruit.pear: foreign key pear_organization_id_fkey",
    );
    expect((await client.query('SELECT FROM pg_dist_partition')).rowCount).toBe(0);
  });

  it('is asked of the coordinator', async () => {
    await migrate(FRUIT, database.url);
    const { rows } = await client.query<{ nodename: string; nodeport: number }>(
      'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 1',
    );
    const worker = new URL(database.url);
    [worker.hostname, worker.port] = [rows[0]!.nodename, String(rows[0]!.nodeport)];
    await expect(distribute(FRUIT, worker.href)).rejects.toThrow(
      'this is a worker: connect to the coordinator',
    );
  });
});

describe('undistributable', () => {
  it.each([
    ['nothing', ['ALTER TABLE fruit.apple ADD UNIQUE (name, organization_id)'], []],
    [
      'a unique index',
      ['CREATE UNIQUE INDEX by_name ON fruit.apple (name)'],
      ['fruit.apple: unique without the organization: fruit.by_name'],
    ],
    [
      'a trigger',
      [
        'CREATE TRIGGER changed BEFORE UPDATE ON fruit.apple EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      ],
      ['fruit.apple: trigger changed'],
    ],
    [
      'another collation',
      [
        'CREATE TABLE fruit.fig (organization_id text PRIMARY KEY)',
        'CREATE TABLE fruit.plum (organization_id text COLLATE "C" PRIMARY KEY)',
      ],
      ['fruit.plum: type or collation of organization_id is not that of the other tables'],
    ],
    [
      'a foreign key',
      [
        'ALTER TABLE fruit.apple ADD CONSTRAINT known FOREIGN KEY (organization_id, id) REFERENCES fruit.apple',
      ],
      ['fruit.apple: foreign key known'],
    ],
    [
      'an exclusion',
      ['ALTER TABLE fruit.apple ADD CONSTRAINT apart EXCLUDE (name WITH =)'],
      ['fruit.apple: exclusion apart'],
    ],
    [
      'a small identity',
      ['ALTER TABLE fruit.apple ADD COLUMN place integer GENERATED ALWAYS AS IDENTITY'],
      ['fruit.apple: identity that is no bigint: place'],
    ],
    ['a table without organizations', ['CREATE TABLE fruit.kind (name text PRIMARY KEY)'], []],
  ])('names %s', async (_, statements, lines) => {
    await migrate(FRUIT, database.url);
    for (const statement of statements) await client.query(statement);
    expect(await undistributable(client, 'fruit')).toEqual(lines);
  });
});

it('distribute refuses a PostgreSQL without Citus', async () => {
  await client.query('DROP EXTENSION IF EXISTS citus CASCADE');
  await migrate(FRUIT, database.url);
  await expect(distribute(FRUIT, database.url)).rejects.toThrow(
    /^PostgreSQL at \S+ has no Citus: nothing is distributed$/,
  );
});
