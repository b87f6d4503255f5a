import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { DataSource, type EntityManager, type ObjectLiteral, type Repository } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { OrganizationLimit } from './concurrency/organization-limit';

/** A data source of which an organization uses at most half of the connections, rounded down, and at least one. */
export class LimitedDataSource extends DataSource {
  readonly organizations: OrganizationLimit;
  /** Its connections, when it is initialized. */
  readonly pool: () => Pool;

  /** @param waitMs how long work may wait for a connection of its organization, in milliseconds */
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
    this.organizations = new OrganizationLimit({
      places: Math.max(1, Math.floor(options.poolSize / 2)),
      waitMs,
    });
  }
}

/**
 * Runs work that uses one connection of a data source in the name of an organization. The data sources of tools and tests have no limit.
 * @param organizationId undefined: in nobody's name, without a limit
 * @throws DependencyUnavailableError if the organization has its share of the connections for too long
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
 * Runs work over one connection, in the name of an organization.
 * @param work is given the connection of pg, and TypeORM's manager over it
 */
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
 * Reads or writes rows of an entity in the manager's transaction, or over a connection of its own in the name of their organization.
 * @throws DependencyUnavailableError if the organization has its share of the connections for too long
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
