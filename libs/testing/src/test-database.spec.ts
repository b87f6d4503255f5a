import { Client } from 'pg';
import { query } from '../test/query';
import { createTestDatabase } from './test-database';

describe('createTestDatabase', () => {
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
