import { Client } from 'pg';
import { testRun } from './test-run';

/** How long what is connected to a new template may take to end, in milliseconds: a daemon of Citus is. */
const TERMINATION_MS = 5_000;

/** A node of a cluster: group 0 is the coordinator. */
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

/**
 * On each server that holds a part of every test database: the one of the run, or all nodes of its cluster, and the coordinator first, which
 * connects to the others by itself.
 */
export async function onEveryNode(use: (client: Client, url: string) => Promise<unknown>): Promise<void> {
  const [first, ...others] = testRun.isCluster ? (await nodes()).map(urlOfNode) : [testRun.databaseUrl];
  await onServer(first!, (client) => use(client, first!));
  await Promise.all(others.map((url) => onServer(url, (client) => use(client, url))));
}

/** Makes a database that each node has one of the cluster's. */
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

/** Names a database, and keeps it as it is: nothing may use it while it is copied. */
export async function becomeTemplate(server: Client, database: string, template: string): Promise<void> {
  await server.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE datname = $1', [
    database,
    TERMINATION_MS,
  ]);
  await server.query(`ALTER DATABASE "${database}" RENAME TO "${template}"`);
}

/** As the coordinator of the run addresses them, itself first. */
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
  // A test may reach the coordinator at another address than it has for itself.
  if (groupid !== 0) [url.hostname, url.port] = [nodename, String(nodeport)];
  return url.href;
}
