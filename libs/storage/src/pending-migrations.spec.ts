import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import type { DatabaseArea } from './database-area';
import { migrate } from './migrate';
import { pendingMigrations } from './pending-migrations';

class PlantTree1700000000001 implements MigrationInterface {
  up = (runner: QueryRunner) => runner.query('CREATE TABLE fruit.tree (id integer)');
  down = async () => undefined;
}
class PickApple1700000000002 implements MigrationInterface {
  up = (runner: QueryRunner) => runner.query('CREATE TABLE fruit.apple (id integer)');
  down = async () => undefined;
}

const area = (...migrations: DatabaseArea['migrations']): DatabaseArea => ({
  name: 'fruit',
  schema: 'fruit',
  migrations,
});

describe('pendingMigrations', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('names all of them before the first, those that are new later, and none in the end', async () => {
    const latest = area(PlantTree1700000000001, PickApple1700000000002);
    expect(await pendingMigrations(latest, database.url)).toEqual([
      'PlantTree1700000000001',
      'PickApple1700000000002',
    ]);

    await migrate(area(PlantTree1700000000001), database.url);
    expect(await pendingMigrations(latest, database.url)).toEqual(['PickApple1700000000002']);

    await migrate(latest, database.url);
    expect(await pendingMigrations(latest, database.url)).toEqual([]);
  });

  it('fails when there is no such database', async () => {
    await expect(pendingMigrations(area(), `${database.url}-missing`)).rejects.toThrow('does not exist');
  });
});
