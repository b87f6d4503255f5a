import { Client } from 'pg';
// eslint-disable-next-line @nx/enforce-module-boundaries -- for operators, it is beside roles.sql
import statements from '../../../docker/citus.sql';
import type { DatabaseArea } from './database-area';
import { storeAddress } from './store-address';

/**
 * Spreads the tables of an area over the workers of a Citus cluster, with their rows, as docker/citus.sql has it.
 * @param databaseUrl of the coordinator, as a role that owns the tables and logs in to the workers
 * @returns the tables and functions that were not spread before
 */
export async function distribute({ schema }: DatabaseArea, databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
    if (!rowCount) throw new Error(`PostgreSQL at ${storeAddress(databaseUrl)} has no Citus`);
    // In one transaction, so that services never find only a part of the tables spread.
    await client.query('BEGIN; SET LOCAL citus.multi_shard_modify_mode = sequential');
    const spread: string[] = [];
    for (const statement of statements.split(';\n').slice(0, -1)) {
      const { rows } = await client.query<{ name: string }>(statement, [schema]);
      spread.push(...rows.map(({ name }) => name));
    }
    await client.query('COMMIT');
    return spread;
  } finally {
    await client.end();
  }
}
