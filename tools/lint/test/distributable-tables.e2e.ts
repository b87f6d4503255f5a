import { Client } from 'pg';
import { databases } from '@cxp/services/areas';
import { migrate, undistributable } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase([...databases], migrate);
  client = new Client({ connectionString: database.url });
  await client.connect();
}, 60_000);
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

it.each(['webchat', 'contact_center', 'survey'])('a Citus cluster can distribute %s', async (schema) => {
  expect(await undistributable(client, schema)).toEqual([]);
});
