import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from 'jest';
import { type LocalServer, startPgBouncer, startPostgres, startRedis } from '../local-servers';
import { SERVING_ROLE } from '../test-run';

/** Marks projects whose tests need PostgreSQL and Redis, in `project.json`. */
const DATABASES_TAG = 'tests:databases';

/** Setup and teardown run in one process. */
export const started = { servers: [] as LocalServer[], hasDatabases: false };

/**
 * Starts databases for the workspace, or for a project with the tag: those of DATABASE_URL and REDIS_URL, or throw-away ones.
 * With CITUS_URL (a coordinator's database) test databases span all nodes.
 */
export default async function globalSetup(_: unknown, { rootDir }: Config): Promise<void> {
  if (!needsDatabases(rootDir!)) return;
  process.env.CXP_TEST_RUN = randomBytes(4).toString('hex');
  started.hasDatabases = true;
  const start = async (variable: string, startServer: () => Promise<LocalServer>) => {
    if (process.env[variable]) return;
    const server = await startServer();
    started.servers.push(server);
    process.env[variable] = server.url;
  };
  if (process.env.CITUS_URL) process.env.DATABASE_URL = process.env.CITUS_URL;
  await Promise.all([start('DATABASE_URL', startPostgres), start('REDIS_URL', startRedis)]);
  // With CXP_TEST_POOLER=transaction services connect through a PgBouncer.
  if (process.env.CXP_TEST_POOLER) {
    await start('CXP_TEST_POOLER_URL', () =>
      startPgBouncer(process.env.DATABASE_URL!, { otherUsers: [SERVING_ROLE] }),
    );
  }
}

/** @param directory of a project, or of the workspace, which runs all projects */
function needsDatabases(directory: string): boolean {
  if (existsSync(join(directory, 'nx.json'))) return true;
  const project = readFileSync(join(directory, 'project.json'), 'utf8');
  return (JSON.parse(project) as { tags: string[] }).tags.includes(DATABASES_TAG);
}
