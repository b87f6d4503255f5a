import { Client } from 'pg';
import { succeeded, type LoadResult } from './load';
import type { Operation } from './workloads';

/**
 * Compares the acknowledged writes of a load with what is stored.
 * @returns a line for everything that was acknowledged and is not there exactly as it was, and for everything doubled
 */
export async function findDifferences(
  databaseUrl: string,
  organizationId: string,
  results: readonly LoadResult[],
): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found: string[] = [];
    for (const operation of new Set(results.map((result) => result.operation))) {
      found.push(...(await compare(client, organizationId, operation, results)));
    }
    return found;
  } finally {
    await client.end();
  }
}

async function compare(
  client: Client,
  organizationId: string,
  operation: Operation,
  results: readonly LoadResult[],
): Promise<string[]> {
  const { keeps } = operation;
  if (!keeps) return [];
  const { rows } = await client.query<{ key: string; id: string }>(keeps.sql, [organizationId]);
  const stored = new Map(rows.map(({ key, id }) => [key, id]));
  const doubled = rows.length - stored.size;
  const lost = results
    .filter((result) => result.operation === operation && succeeded(result))
    .filter(({ n, answer }) => stored.get(keeps.key(n)) !== keeps.id(answer!, n))
    .map(({ n }) => `${operation.name}: ${keeps.key(n)} was acknowledged and is lost`);
  return doubled > 0 ? [...lost, `${operation.name}: ${doubled} are stored twice`] : lost;
}
