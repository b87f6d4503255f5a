import { Client } from 'pg';
import type { DatabaseArea } from './database-area';

const UNDEFINED_TABLE = '42P01';

/** Oldest first. Only reads. */
export async function pendingMigrations(area: DatabaseArea, databaseUrl: string): Promise<string[]> {
  const run = await runMigrationNames(area.schema, databaseUrl);
  return area.migrations.map(({ name }) => name).filter((name) => !run.has(name));
}

/** Whether the database has migrations that the area lacks. */
export async function isOfNewerRelease(area: DatabaseArea, databaseUrl: string): Promise<boolean> {
  const own = new Set(area.migrations.map(({ name }) => name));
  return [...(await runMigrationNames(area.schema, databaseUrl))].some((name) => !own.has(name));
}

async function runMigrationNames(schema: string, databaseUrl: string): Promise<Set<string>> {
  const client = new Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM "${schema}".migration`);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return new Set();
    throw error;
  } finally {
    await client.end();
  }
}
