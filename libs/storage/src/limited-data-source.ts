import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { DataSource, type EntityManager, type ObjectLiteral, type Repository } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { KeyedLimit } from './concurrency/keyed-limit';

/** An organization uses at most half of the connections, rounded down, and at least one. */
export class LimitedDataSource extends DataSource {
  readonly organizations: KeyedLimit;
  readonly pool: () => Pool;

  /** @param waitMs for a connection of the organization, in milliseconds */
  constructor(options: PostgresDataSourceOptions & { readonly poolSize: number }, waitMs: number) {
    let made: Pool;
    const remember = (pool: Pool) => void (made = pool);
    class KnownPool extends Pool {
      constructor(config: PoolConfig) {
        super(config);
        remember(this);
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

/** @param work gets pg's connection, and TypeORM's manager over it */
export function withConnection<Result>(
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
