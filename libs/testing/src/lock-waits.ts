import { testRun } from './test-run';

/** The statements of a database that wait for a lock now, on any node of a cluster. */
export async function statementsThatWait(database: {
  query(sql: string): Promise<unknown>;
}): Promise<string[]> {
  const activity = testRun.isCluster ? 'citus_stat_activity' : 'pg_stat_activity';
  const rows = await database.query(
    `SELECT query FROM ${activity} WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  // PostgreSQL shows the first 1,024 bytes.
  return (rows as { query: string }[]).map(({ query }) => query);
}
