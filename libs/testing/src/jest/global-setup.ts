import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from 'jest';
import { startPostgres } from '../postgres-server';
import { startRedis } from '../redis-server';
import { startedServers } from './started-servers';

/** This lib by its alias, or a lib's `…/testing` that builds on it; its own tests import files of it. */
const IMPORT_OF_DATABASES = /from '(@cxp\/[\w/-]*testing|\.\/test-(database|redis))'/;

/** Databases for the tests of a project that uses `@cxp/testing`: those of DATABASE_URL and REDIS_URL, or throw-away ones. */
export default async function globalSetup(_: unknown, { rootDir }: Config): Promise<void> {
  if (!usesDatabases(rootDir!)) return;
  process.env.CXP_TEST_RUN = randomBytes(4).toString('hex');
  const start = async (variable: string, startServer: typeof startPostgres) => {
    if (process.env[variable]) return;
    const server = await startServer();
    startedServers.push(server);
    process.env[variable] = server.url;
  };
  await Promise.all([start('DATABASE_URL', startPostgres), start('REDIS_URL', startRedis)]);
}

function usesDatabases(directory: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).some(
    (name) =>
      name.endsWith('.ts') &&
      !name.includes('node_modules') &&
      IMPORT_OF_DATABASES.test(readFileSync(join(directory, name), 'utf8')),
  );
}
