import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { areaProblem } from './area-rights';
import type { DatabaseSchema } from './database-schema';
import { migrate } from './migrate';

class CreateFruit1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE fruit.apple (id int); CREATE TABLE fruit.pear (id int)');
  }
  async down(): Promise<void> {}
}

class PlantCherry1700000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE fruit.cherry (id int)');
  }
  async down(): Promise<void> {}
}

const AREA: DatabaseSchema = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000001],
};
const ROLE = `A fruit's ${randomUUID()}`;

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`CREATE ROLE "${ROLE}"`);
  await migrate(AREA, database.url, ROLE);
});
afterAll(async () => {
  await client.query(`DROP OWNED BY "${ROLE}"; DROP ROLE "${ROLE}"`);
  await client.end();
  await database.drop();
});

/** What the role may do, but for reading the table of migrations. */
async function rights(): Promise<string[]> {
  const { rows } = await client.query<{ granted: string }>(
    `SELECT privilege_type || ' ' || table_name AS granted FROM information_schema.role_table_grants
     WHERE grantee = $1 AND table_name <> 'migration' ORDER BY 1`,
    [ROLE],
  );
  return rows.map(({ granted }) => granted);
}

async function problemOf(area: DatabaseSchema): Promise<string | undefined> {
  await client.query(`SET ROLE "${ROLE}"`);
  try {
    return await areaProblem(client, area);
  } finally {
    await client.query('RESET ROLE');
  }
}

const ALL = (table: string) => ['DELETE', 'INSERT', 'SELECT', 'UPDATE'].map((right) => `${right} ${table}`);

describe('the role that serves', () => {
  it('may read and write the rows of its area, and can serve', async () => {
    expect(await rights()).toEqual([...ALL('apple'), ...ALL('pear')].sort());
    expect(await problemOf(AREA)).toBeUndefined();
    await expect(
      client
        .query(`SET ROLE "${ROLE}"; DELETE FROM fruit.migration`)
        .finally(() => client.query('RESET ROLE')),
    ).rejects.toThrow('permission denied');
  });

  it('learns which right it lacks; the next migration gives it', async () => {
    await client.query(`REVOKE UPDATE ON fruit.pear FROM "${ROLE}"`);
    expect(await problemOf(AREA)).toBe(
      `"${ROLE}" may not UPDATE fruit.pear: run its migration (node migrate.js) as its owner, which grants what it needs`,
    );
    await migrate(AREA, database.url, ROLE);
    expect(await problemOf(AREA)).toBeUndefined();
    await client.query(
      'CREATE FUNCTION fruit.peel() RETURNS int LANGUAGE sql AS $$SELECT 1$$; REVOKE EXECUTE ON FUNCTION fruit.peel FROM PUBLIC',
    );
    expect(await problemOf(AREA)).toMatch(`"${ROLE}" may not EXECUTE fruit.peel: `);
    await client.query('DROP FUNCTION fruit.peel');
  });

  it('may read and write a newer release, also when the one before migrates again', async () => {
    await migrate(
      { ...AREA, migrations: [...AREA.migrations, PlantCherry1700000000002] },
      database.url,
      ROLE,
    );
    expect(await migrate(AREA, database.url, ROLE)).toEqual([]);
    expect(await rights()).toEqual(expect.arrayContaining(ALL('cherry')));
  });

  it('may read and write what a migration has made, also if one after it fails', async () => {
    class PlantPlum1700000000004 extends PlantCherry1700000000002 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.query('CREATE TABLE fruit.plum (id int)');
      }
    }
    class Fail1700000000005 extends PlantCherry1700000000002 {
      override up = () => Promise.reject(new Error('failed'));
    }
    const migrations = [CreateFruit1700000000001, PlantCherry1700000000002, PlantPlum1700000000004];
    const failing = migrate({ ...AREA, migrations: [...migrations, Fail1700000000005] }, database.url, ROLE);
    await expect(failing).rejects.toThrow('failed');
    expect(await rights()).toEqual(expect.arrayContaining(ALL('plum')));
    expect(await problemOf(AREA)).toBeUndefined();
  });
});
