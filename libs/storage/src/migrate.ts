import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { grantRights, owningRole } from './area-rights';
import type { DatabaseSchema } from './database-schema';
import { ADVISORY_LOCKS } from './locks';

const LOCK_POLL_MS = 200;

/**
 * Milliseconds that a migration waits for a table, because later statements queue behind it and the serving version must not
 * lose requests. Then it lets them pass and retries.
 */
const LOCK_TIMEOUT_MS = 500;

const LOCK_ATTEMPTS = 300;

const UNDEFINED_TABLE = '42P01';

/**
 * Safe to run concurrently and repeatedly.
 * @param databaseUrl of a role that owns the schema, is a member of its owner, or may create it
 * @param servingRole may then read and write rows; a member of the owner needs no grant
 * @returns the names of the run migrations, oldest first
 */
export async function migrate(
  area: DatabaseSchema,
  databaseUrl: string,
  servingRole?: string,
): Promise<string[]> {
  const owner = await connectedAs(databaseUrl, undefined, (client) => owningRole(client, area));
  const dataSource = await new DataSource({
    type: 'postgres',
    url: databaseUrl,
    schema: area.schema,
    migrations: area.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    extra: { max: 2, lock_timeout: LOCK_TIMEOUT_MS, ...actingAs(owner) },
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await acquire(lock);
    if (!owner) await lock.query(`CREATE SCHEMA IF NOT EXISTS "${area.schema}"`);
    const run = await runMigrations(area, databaseUrl);
    const names = missingIn(run, area);
    const isKnown = (name: string) => area.migrations.some((own) => own.name === name);
    if (names.length > 0 && !run.every(isKnown))
      throw new Error(
        `schema ${area.schema} was made by another version, from which there is no way here: use an empty database`,
      );
    const grant = () => connectedAs(databaseUrl, owner, (client) => grantRights(client, area, servingRole));
    await grant();
    await untilUnlocked(() => dataSource.runMigrations());
    await untilUnlocked(() => disableOrganizationStatistics(dataSource, area.schema));
    await grant();
    return names;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migrations]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

/** Oldest first. Only reads. */
export async function pendingMigrations(area: DatabaseSchema, databaseUrl: string): Promise<string[]> {
  return missingIn(await runMigrations(area, databaseUrl), area);
}

async function runMigrations({ schema }: DatabaseSchema, databaseUrl: string): Promise<string[]> {
  return connectedAs(databaseUrl, undefined, async (client) => {
    try {
      const { rows } = await client.query<{ name: string }>(`SELECT name FROM "${schema}".migration`);
      return rows.map(({ name }) => name);
    } catch (error) {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
      throw error;
    }
  });
}

function missingIn(run: readonly string[], { migrations }: DatabaseSchema): string[] {
  return migrations.map(({ name }) => name).filter((name) => !run.includes(name));
}

/**
 * Polls, because a statement that waits for the lock would block `CREATE INDEX CONCURRENTLY` of the lock's holder, which waits
 * for all older statements.
 */
async function acquire(connection: QueryRunner): Promise<void> {
  for (;;) {
    const [lock] = (await connection.query('SELECT pg_try_advisory_lock($1) AS acquired', [
      ADVISORY_LOCKS.migrations,
    ])) as [{ acquired: boolean }];
    if (lock.acquired) return;
    await sleep(LOCK_POLL_MS);
  }
}

function actingAs(role: string | undefined): { options?: string } {
  return role === undefined ? {} : { options: `-c role=${role.replaceAll(/[\s\\]/g, '\\$&')}` };
}

async function connectedAs<Result>(
  databaseUrl: string,
  role: string | undefined,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl, ...actingAs(role) });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function untilUnlocked(change: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await change();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_TIMEOUT_MS);
    }
  }
}

/** Reasons, and what statements do about it: tools/decisions/0007-organizations-have-no-statistics.md. */
async function disableOrganizationStatistics(dataSource: DataSource, schema: string): Promise<void> {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT attrelid::regclass AS name
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = $1::regnamespace AND relkind = 'r'
       AND attname = 'organization_id' AND attstattarget IS DISTINCT FROM 0`,
    [schema],
  );
  for (const { name } of tables) {
    await dataSource.query(`ALTER TABLE ${name} ALTER COLUMN organization_id SET STATISTICS 0`);
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === '55P03';
}
