import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { areaProblem } from './area-rights';
import type { DatabaseArea } from './database-area';
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

const AREA: DatabaseArea = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000001],
  servingGrants: { apple: ['SELECT', 'INSERT'] },
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

async function problemOf(area: DatabaseArea): Promise<string | undefined> {
  await client.query(`SET ROLE "${ROLE}"`);
  try {
    return await areaProblem(client, area);
  } finally {
    await client.query('RESET ROLE');
  }
}

describe('the role that serves', () => {
  it('has the rights of its area, and can serve', async () => {
    expect(await rights()).toEqual(['INSERT apple', 'SELECT apple']);
    expect(await problemOf(AREA)).toBeUndefined();
  });

  it('is given what it lacks, and loses what it had beside that, with each migration', async () => {
    await client.query(`GRANT DELETE ON fruit.apple TO "${ROLE}"; GRANT ALL ON fruit.pear TO "${ROLE}"`);
    await client.query(`REVOKE INSERT ON fruit.apple FROM "${ROLE}"`);
    await migrate(AREA, database.url, ROLE);
    expect(await rights()).toEqual(['INSERT apple', 'SELECT apple']);
  });

  it('keeps what only the release before needs', async () => {
    await migrate({ ...AREA, formerServingGrants: { pear: ['DELETE'] } }, database.url, ROLE);
    expect(await rights()).toEqual(['DELETE pear', 'INSERT apple', 'SELECT apple']);
  });

  it('keeps the rights of a newer release when the one before migrates again', async () => {
    const newer = { ...AREA, migrations: [...AREA.migrations, PlantCherry1700000000002] };
    await migrate(
      { ...newer, servingGrants: { ...AREA.servingGrants, cherry: ['SELECT'] } },
      database.url,
      ROLE,
    );
    expect(await migrate(AREA, database.url, ROLE)).toEqual([]);
    expect(await rights()).toEqual(['INSERT apple', 'SELECT apple', 'SELECT cherry']);
    await client.query("DROP TABLE fruit.cherry; DELETE FROM fruit.migration WHERE name LIKE 'Plant%'");
  });

  it('is told which right it lacks, and what gives it', async () => {
    expect(await problemOf({ ...AREA, servingGrants: { apple: ['SELECT', 'UPDATE'] } })).toBe(
      `"${ROLE}" may not UPDATE fruit.apple: run its migration (node migrate.js) as its owner, which grants what it needs`,
    );
  });

  it('keeps all rights if it is the owner itself', async () => {
    await client.query(
      `ALTER TABLE fruit.pear OWNER TO "${ROLE}"; ALTER TABLE fruit.apple OWNER TO "${ROLE}"`,
    );
    await client.query(
      `ALTER TABLE fruit.migration OWNER TO "${ROLE}"; ALTER SCHEMA fruit OWNER TO "${ROLE}"; GRANT "${ROLE}" TO current_user`,
    );
    await migrate(AREA, database.url, ROLE);
    expect(await rights()).toContain('DELETE pear');
  });
});
