import type { Socket } from 'node:net';
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { pauseAfter } from './concurrency/yield-to-event-loop';
import { DataSource, type EntityManager, type ObjectLiteral, type Repository } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { KeyedLimit } from './concurrency/keyed-limit';
import { isDependencyUnavailable } from './failures';

/** An organization uses at most half of the connections, rounded down, and at least one. */
export class LimitedDataSource extends DataSource {
  readonly organizations: KeyedLimit;
  readonly pool: () => Pool;

  /** @param waitMs for a connection of the organization, in milliseconds */
  constructor(options: PostgresDataSourceOptions & { readonly poolSize: number }, waitMs: number) {
    // TypeORM shows its pool nowhere; metrics and statements that are prepared by name need it.
    let made: Pool;
    const remember = (pool: Pool) => void (made = pool);
    class KnownPool extends Pool {
      constructor(config: PoolConfig) {
        super(config);
        remember(this);
        this.on('connect', readWithPauses);
      }
    }
    super({ ...options, driver: { Pool: KnownPool } });
    this.pool = () => made;
    this.organizations = new KeyedLimit({
      places: Math.max(1, Math.floor(options.poolSize / 2)),
      waitMs,
    });
  }
}

/** What one turn of the event loop reads at most of a connection. */
const READ_BYTES = 64 * 1_024;

/** Node.js would read and parse two megabytes of an answer before it serves others. */
function readWithPauses(client: PoolClient): void {
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Socket } }).connection;
  let since = 0;
  stream.prependListener('data', () => (since = performance.now()));
  stream.on('data', ({ length }) => {
    if (length < READ_BYTES) return;
    stream.pause();
    void pauseAfter(since).then(() => stream.resume());
  });
}

/**
 * Runs work that uses one connection, within the organization's share. Data sources of tools and tests have no limit.
 * @param organizationId undefined means no limit
 * @throws DependencyUnavailableError if the organization's share is busy for too long
 */
export function inNameOf<Result>(
  organizationId: string | undefined,
  dataSource: DataSource,
  work: () => Promise<Result>,
): Promise<Result> {
  return organizationId !== undefined && dataSource instanceof LimitedDataSource
    ? dataSource.organizations.run(organizationId, work)
    : work();
}

/**
 * For a single query: TypeORM's query runner, which brings a manager, takes longer than a short query's own work.
 * @throws DependencyUnavailableError if the organization's share is busy for too long
 */
export function withClient<Result>(
  organizationId: string | undefined,
  dataSource: DataSource,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  if (!(dataSource instanceof LimitedDataSource)) return withConnection(organizationId, dataSource, work);
  return inNameOf(organizationId, dataSource, async () => {
    const client = await dataSource.pool().connect();
    client.on('error', leftToQuery);
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      // PostgreSQL may be about to close it: the error of an ended backend comes before the end of its connection.
      if (isDependencyUnavailable(error)) failure = error as Error;
      throw error;
    } finally {
      client.off('error', leftToQuery);
      client.release(failure);
    }
  });
}

/** A lost connection fails its query; without a listener it would also end the process. */
function leftToQuery(): void {}

/** @param work gets pg's connection, and TypeORM's manager over it */
function withConnection<Result>(
  organizationId: string | undefined,
  dataSource: DataSource,
  work: (client: PoolClient, manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return inNameOf(organizationId, dataSource, async () => {
    const runner = dataSource.createQueryRunner();
    try {
      return await work((await runner.connect()) as PoolClient, runner.manager);
    } finally {
      await runner.release();
    }
  });
}

/**
 * Uses the manager's transaction, or a connection within the organization's share.
 * @throws DependencyUnavailableError if that share is busy for too long
 */
export function withRepository<Entity extends ObjectLiteral, Result>(
  entity: new () => Entity,
  manager: EntityManager,
  organizationId: string,
  use: (repository: Repository<Entity>) => Promise<Result>,
): Promise<Result> {
  const work = () => use(manager.getRepository(entity));
  return manager.queryRunner ? work() : inNameOf(organizationId, manager.dataSource, work);
}

/**
 * Sends the first statements with BEGIN, to save a round trip. The work must not use another connection of its organization.
 * @param organizationId undefined means no limit
 * @param opening statements without parameters
 * @param work gets the rows of the last of them
 */
export async function inTransaction<Row extends object, Result>(
  dataSource: DataSource,
  organizationId: string | undefined,
  opening: readonly string[],
  work: (manager: EntityManager, rows: readonly Row[]) => Promise<Result>,
): Promise<Result> {
  return withConnection(organizationId, dataSource, async (client, manager) => {
    try {
      const text = ['START TRANSACTION', ...opening].join(';\n');
      const results: QueryResult<Row>[] = [await client.query<Row>(text)].flat();
      const result = await work(manager, results.at(-1)!.rows);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // If the connection is lost, the error above is thrown.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
