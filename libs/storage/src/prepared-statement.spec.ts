import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { PreparedStatement } from './prepared-statement';

const DOUBLE = new PreparedStatement<{ doubled: number; transaction: string | null }>(
  'double',
  'SELECT $1::int * 2 AS doubled, pg_current_xact_id_if_assigned()::text AS transaction',
);

describe('PreparedStatement', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  it('is prepared once for each connection, which it gives back', async () => {
    for (const [value, doubled] of [
      [1, 2],
      [21, 42],
      [-5, -10],
    ]) {
      expect(await DOUBLE.run(dataSource.manager, [value])).toMatchObject([{ doubled }]);
    }
    const prepared = await dataSource.query(
      'SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements',
    );
    expect(prepared).toEqual([{ name: 'double', runs: '3' }]);
  });

  it('runs in the transaction of its manager', async () => {
    await dataSource.transaction(async (manager) => {
      const [{ id }] = await manager.query('SELECT pg_current_xact_id()::text AS id');
      expect(await DOUBLE.run(manager, [1])).toEqual([{ doubled: 2, transaction: id }]);
    });
  });

  it('fails with the error of PostgreSQL, and gives its connection back', async () => {
    await expect(DOUBLE.run(dataSource.manager, ['x'])).rejects.toMatchObject({ code: '22P02' });
    expect(await DOUBLE.run(dataSource.manager, [4])).toMatchObject([{ doubled: 8 }]);
  });
});
