import { Client } from 'pg';
import { createTestDatabase, needs, type TestDatabase } from '@cxp/testing';
import { findWorkersAway } from './cluster-workers';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database.drop());

it('no worker is away when all answer, or there are none', async () => {
  expect(await findWorkersAway(database.url)).toEqual([]);
});

needs('Citus', process.env.CITUS_URL).it('tells which worker does not answer', async () => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`SELECT citus_add_inactive_node('127.0.0.1', 1)`);
  await client.query('UPDATE pg_dist_node SET isactive = true WHERE nodeport = 1');
  await client.end();
  expect(await findWorkersAway(database.url)).toEqual(['127.0.0.1:1']);
});
