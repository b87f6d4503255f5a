import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import type { DatabaseSchema } from './database-schema';
import { migrate, pendingMigrations } from './migrate';

class CreateFruit1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE fruit.fruit (id int)');
  }
  async down(): Promise<void> {}
}

class FillFruit1700000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('INSERT INTO fruit.fruit VALUES (1)');
  }
  async down(): Promise<void> {}
}

class Broken1700000000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('INSERT INTO fruit.fruit VALUES (2)');
    await queryRunner.query('SELECT FROM fruit.nothing');
  }
  async down(): Promise<void> {}
}

const CREATE: DatabaseSchema = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000001],
};
const FILL: DatabaseSchema = { ...CREATE, migrations: [...CREATE.migrations, FillFruit1700000000002] };
const BROKEN: DatabaseSchema = { ...FILL, migrations: [...FILL.migrations, Broken1700000000003] };

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function fruit(): Promise<number[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ id: number }>('SELECT id FROM fruit.fruit');
  await client.end();
  return rows.map(({ id }) => id);
}

describe('migrate', () => {
  it('runs what has not run yet, oldest first, and says which', async () => {
    expect(await migrate(CREATE, database.url)).toEqual(['CreateFruit1700000000001']);
    expect(await pendingMigrations(FILL, database.url)).toEqual(['FillFruit1700000000002']);
    expect(await migrate(FILL, database.url)).toEqual(['FillFruit1700000000002']);
    expect(await migrate(FILL, database.url)).toEqual([]);
    expect(await fruit()).toEqual([1]);
  });

  it('is pending in an empty database, and fails in one that does not exist', async () => {
    expect(await pendingMigrations(FILL, database.url)).toHaveLength(2);
    await expect(pendingMigrations(FILL, `${database.url}-missing`)).rejects.toThrow('does not exist');
  });

  it('leaves a schema alone that has other migrations, and lacks some of its own', async () => {
    const other: DatabaseSchema = { ...CREATE, migrations: [FillFruit1700000000002] };
    await migrate(CREATE, database.url);
    await expect(migrate(other, database.url)).rejects.toThrow(/use an empty database/);
    expect(await fruit()).toEqual([]);
  });

  it('runs each migration once when several processes start at the same time', async () => {
    const other: DatabaseSchema = { name: 'other', schema: 'other', migrations: [] };
    const run = await Promise.all([FILL, FILL, other, FILL].map((area) => migrate(area, database.url)));
    expect(run.flat().sort()).toEqual(['CreateFruit1700000000001', 'FillFruit1700000000002']);
    expect(await fruit()).toEqual([1]);
  });

  it('leaves nothing of a migration that fails, keeps those before it, and can run again', async () => {
    jest.spyOn(console, 'log').mockReturnValueOnce(); // TypeORM's own word about it.
    await expect(migrate(BROKEN, database.url)).rejects.toThrow(/nothing/);
    expect(await fruit()).toEqual([1]);
    expect(await migrate(FILL, database.url)).toEqual([]);
  });
});
