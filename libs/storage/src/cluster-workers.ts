import { Client, escapeLiteral, type QueryResult } from 'pg';
import { type Database, hasCitus } from './distribution';

/** How long the coordinator takes at most to answer, and a worker to be reached, in milliseconds. */
const ANSWER_MS = 1_000;

/** PostgreSQL's code for a statement that took too long. */
const CANCELLED = '57014';

/**
 * The workers of a Citus cluster that can't be reached from its coordinator, as `host:port`; none of a PostgreSQL without Citus.
 * @param databaseUrl for a connection that waits for workers
 */
export async function findWorkersAway(coordinator: Database, databaseUrl: string): Promise<string[]> {
  if (!(await hasCitus(coordinator))) return [];
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'worker check',
    connectionTimeoutMillis: ANSWER_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; port: number }>(
      `SELECT nodename AS name, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' AND isactive ORDER BY 1, 2`,
    );
    const away: string[] = [];
    for (const { name, port } of rows)
      if (!(await isReached(client, name, port))) away.push(`${name}:${port}`);
    return away;
  } finally {
    client.end().catch(() => undefined);
  }
}

async function isReached(client: Client, name: string, port: number): Promise<boolean> {
  const check = `SELECT citus_check_connection_to_node(${escapeLiteral(name)}, ${port}) AS up`;
  try {
    // Of the transaction: behind a pooler the session has other clients.
    const results = await client.query(`BEGIN; SET LOCAL statement_timeout = ${ANSWER_MS}; ${check}; COMMIT`);
    return (results as unknown as QueryResult<{ up: boolean }>[])[2]!.rows[0]!.up;
  } catch (error) {
    if ((error as { code?: string }).code !== CANCELLED) throw error;
    await client.query('ROLLBACK');
    return false;
  }
}
