import { Client } from 'pg';
import { query } from '../test/query';
import { createTestDatabase } from './test-database';

const area = { name: 'fruit', migrations: [{ name: 'CreateFruit1' }] };
const migrate = jest.fn(async (_: typeof area, url: string) => {
  await query(url, 'CREATE SCHEMA fruit; CREATE TABLE fruit.apple (id integer)');
});

describe('createTestDatabase', () => {
  it('gives copies of one migrated template, independent of each other', async () => {
    const [one, other] = await Promise.all([
      createTestDatabase([area], migrate),
      createTestDatabase([area], migrate),
    ]);
    await query(one.url, 'INSERT INTO fruit.apple VALUES (1)');

    expect(await query(one.url, 'SELECT id FROM fruit.apple')).toEqual([{ id: 1 }]);
    expect(await query(other.url, 'SELECT id FROM fruit.apple')).toEqual([]);
    expect(migrate).toHaveBeenCalledTimes(1);
    await Promise.all([one.drop(), other.drop()]);
  });

  it('tries again after migrations that failed', async () => {
    const failing = { name: 'vegetable', migrations: [] };
    await expect(createTestDatabase([failing], () => Promise.reject(new Error('bad SQL')))).rejects.toThrow(
      'bad SQL',
    );
    const { drop } = await createTestDatabase([failing], async () => undefined);
    await drop();
  });

  it('sorts text by language, as managed databases do, unless a query asks for code points', async () => {
    const { url, drop } = await createTestDatabase();
    const rows = await query(
      url,
      `SELECT string_agg(t, '' ORDER BY t) AS language, string_agg(t, '' ORDER BY t COLLATE "C") AS "codePoints"
       FROM unnest(ARRAY['b', 'C', 'a', 'đ']) AS t`,
    );
    expect(rows).toEqual([{ language: 'abCđ', codePoints: 'Cabđ' }]);
    await drop();
  });

  it('is dropped when the connections to it have ended, none of which is cut', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    const ending = client.query('SELECT pg_sleep(0.5)').then(() => client.end());
    await drop();
    await expect(ending).resolves.toBeUndefined();
  });
});
