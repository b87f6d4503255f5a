import { Client } from 'pg';
import type { DatabaseArea } from './database-area';
import { hasCitus, quoted, tablesOf, undistributable } from './distribution';
import { storeAddress } from './store-address';

/**
 * Spreads the tables of an area over the workers of a Citus cluster, by organization and with their rows, and sends the functions that read
 * or write for an organization to its worker. What is spread already stays as it is: this also follows later migrations.
 * @param databaseUrl of the coordinator, as a role that owns the tables and logs in to the workers
 * @returns what it did, a line for each table and function
 * @throws one line with the remedy, if the area can't be distributed
 */
export async function distribute({ name, schema }: DatabaseArea, databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    if (!(await hasCitus(client))) {
      throw new Error(`PostgreSQL at ${storeAddress(databaseUrl)} has no Citus: nothing is distributed`);
    }
    await assertCoordinator(client);
    const [problem] = await undistributable(client, schema);
    if (problem) throw new Error(`${name} can't be distributed: ${problem}`);
    // In one transaction, so that services never find only a part of the tables distributed.
    await client.query('BEGIN; SET LOCAL citus.multi_shard_modify_mode = sequential');
    const lines = [
      ...(await distributeTables(client, schema)),
      ...(await distributeFunctions(client, schema)),
    ];
    await client.query('COMMIT');
    return [...lines, ...(await workersThatKeepPlans(client))];
  } finally {
    await client.end();
  }
}

async function assertCoordinator(client: Client): Promise<void> {
  const { rows } = await client.query<{ isWorker: boolean; workers: number }>(
    `SELECT (SELECT groupid <> 0 FROM pg_dist_local_group) AS "isWorker",
       (SELECT count(*)::int FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards) AS workers`,
  );
  if (rows[0]!.isWorker) throw new Error('this is a worker: connect to the coordinator');
  if (rows[0]!.workers === 0) throw new Error('the coordinator knows no worker: add one by citus_add_node');
}

async function distributeTables(client: Client, schema: string): Promise<string[]> {
  const tables = await tablesOf(client, schema);
  let first = tables.find(({ isDistributed }) => isDistributed)?.name;
  const lines: string[] = [];
  for (const { name, isOfOrganizations, isDistributed } of tables) {
    if (!isOfOrganizations) {
      lines.push(`${name}: stays on the coordinator, its key does not begin with organization_id`);
    } else if (isDistributed) {
      lines.push(`${name}: is distributed`);
    } else {
      await client.query(`SELECT create_distributed_table($1, 'organization_id', colocate_with => $2)`, [
        quoted(name),
        first ? quoted(first) : 'none',
      ]);
      // Its rows are on the workers now: what is left here is not read any more.
      await client.query('SELECT truncate_local_data_after_distributing_table($1)', [quoted(name)]);
      first ??= name;
      lines.push(`${name}: distributed by organization_id`);
    }
  }
  return lines;
}

/** Those that only compute go with the indexes and columns that use them. Forced: in a transaction, too. */
async function distributeFunctions(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ signature: string; isDistributed: boolean; table: string | null }>(
    `SELECT pg_proc.oid::regprocedure AS signature,
       EXISTS (SELECT FROM pg_catalog.pg_dist_object WHERE objid = pg_proc.oid AND distribution_argument_index = 0) AS "isDistributed",
       (SELECT min(logicalrelid::text) FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid WHERE relnamespace = pronamespace) AS "table"
     FROM pg_proc WHERE pronamespace = $1::regnamespace AND provolatile <> 'i' AND proargnames[1] = 'organization_id'
     ORDER BY signature`,
    [schema],
  );
  const lines: string[] = [];
  for (const { signature, isDistributed, table } of rows) {
    lines.push(`${signature}: ${isDistributed ? 'runs' : 'now runs'} on the worker of its organization`);
    if (isDistributed) continue;
    await client.query(
      `SELECT create_distributed_function($1, 'organization_id', colocate_with => $2, force_delegation => true)`,
      [signature, table],
    );
  }
  return lines;
}

/** Citus 13.2 plans a statement of a function that runs on its worker each time, and keeps each plan unless `plan_cache_mode` is `force_custom_plan`. */
async function workersThatKeepPlans(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ worker: string }>(
    `SELECT nodename || ':' || nodeport AS worker FROM run_command_on_workers('SHOW plan_cache_mode')
     WHERE success AND result <> 'force_custom_plan' ORDER BY worker`,
  );
  return rows.map(
    ({ worker }) => `${worker}: set plan_cache_mode = force_custom_plan on this worker, or its memory grows`,
  );
}
