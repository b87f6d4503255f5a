import type { DataSource } from 'typeorm';
import { testRun } from './test-run';

/**
 * Counts the blocks that PostgreSQL reads, from memory or disk: a cost that does not depend on the machine. The work's
 * statements must be sequential, so that the pool gives all of them one connection.
 */
export async function blocksReadBy(dataSource: DataSource, work: () => Promise<unknown>): Promise<number> {
  const before = await blocksRead(dataSource);
  await work();
  return (await blocksRead(dataSource)) - before;
}

async function blocksRead(dataSource: DataSource): Promise<number> {
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [{ blocks }] = await dataSource.query<[{ blocks: string }]>(
    `SELECT sum(
       heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
       + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
     ) AS blocks
     FROM pg_statio_user_tables`,
  );
  return Number(blocks);
}

/** Includes all nodes of a cluster. */
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
