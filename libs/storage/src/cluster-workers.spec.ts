import { Client } from 'pg';
import { createTestDatabase, needs, type TestDatabase } from '@cxp/testing';
import { findWorkersAway } from './cluster-workers';

let database: TestDatabase;
let coordinator: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  coordinator = new Client({ connectionString: database.url });
  await coordinator.connect();
});
afterAll(async () => {
  await coordinator.end();
  await database.drop();
});

it('no worker is away when all answer, or there are none', async () => {
  expect(await findWorkersAway(coordinator, database.url)).toEqual([]);
});

needs('PostgreSQL alone', !process.env.CITUS_URL).it(
  'a PostgreSQL without Citus is asked over no other connection',
  async () => {
    expect(await findWorkersAway(coordinator, 'postgres://127.0.0.1:1/none')).toEqual([]);
  },
);

needs('Citus', process.env.CITUS_URL).it('tells which worker does not answer', async () => {
  await coordinator.query(`SELECT citus_add_inactive_node('127.0.0.1', 1)`);
  await coordinator.query('UPDATE pg_dist_node SET isactive = true WHERE nodeport = 1');
  expect(await findWorkersAway(coordinator, database.url)).toEqual(['127.0.0.1:1']);
});
