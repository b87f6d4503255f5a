import { Client } from 'pg';
import { testRun } from './test-run';

/** Milliseconds for ending connections to a new template, such as Citus's daemon. */
const TERMINATION_MS = 5_000;

/** Group 0 is the coordinator. */
interface Node {
  readonly groupid: number;
  readonly nodename: string;
  readonly nodeport: number;
}

export function urlOf(database: string, serverUrl = testRun.databaseUrl): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export async function onServer<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Calls `use` for the run's server, or for all nodes of its cluster. The coordinator is first: it connects to the others. */
export async function onEveryNode(use: (client: Client, url: string) => Promise<unknown>): Promise<void> {
  const [first, ...others] = testRun.isCluster ? (await nodes()).map(urlOfNode) : [testRun.databaseUrl];
  await onServer(first!, (client) => use(client, first!));
  await Promise.all(others.map((url) => onServer(url, (client) => use(client, url))));
}

export async function joinNodes(database: string): Promise<void> {
  await onEveryNode((_, url) =>
    onServer(urlOf(database, url), (client) => client.query('CREATE EXTENSION citus')),
  );
  await onServer(urlOf(database), async (client) => {
    for (const { groupid, nodename, nodeport } of await nodes()) {
      const add = groupid === 0 ? 'citus_set_coordinator_host' : 'citus_add_node';
      await client.query(`SELECT ${add}($1, $2)`, [nodename, nodeport]);
    }
  });
}

/** Renames a database; nothing may connect to it while it is copied. */
export async function becomeTemplate(server: Client, database: string, template: string): Promise<void> {
  await server.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE datname = $1', [
    database,
    TERMINATION_MS,
  ]);
  await server.query(`ALTER DATABASE "${database}" RENAME TO "${template}"`);
}

async function nodes(): Promise<Node[]> {
  return onServer(testRun.databaseUrl, async (client) => {
    const { rows } = await client.query<Node>(
      `SELECT groupid, nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
    );
    return rows;
  });
}

function urlOfNode({ groupid, nodename, nodeport }: Node): string {
  const url = new URL(testRun.databaseUrl);
  // The coordinator may have another address for tests.
  if (groupid !== 0) [url.hostname, url.port] = [nodename, String(nodeport)];
  return url.href;
}
