import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * A statement that each connection parses once, and plans as rarely as PostgreSQL thinks fit: for short statements that
 * are run often, where planning costs more than running. Behind a transaction pooler it is sent without its name, and prepared
 * for each run.
 */
export class PreparedStatement<Row extends object> {
  /**
   * @param name unique in the service; a statement that changes its text is another statement
   * @param text SQL with `$1` for parameters; one whose best plan depends on their values is better not prepared
   */
  constructor(
    readonly name: string,
    readonly text: string,
  ) {}

  /** Runs in the manager's transaction, or over a connection of its own. */
  async run(manager: EntityManager, values: unknown[]): Promise<Row[]> {
    const { queryRunner, dataSource } = manager;
    const connection = queryRunner ? ((await queryRunner.connect()) as PoolClient) : poolOf(dataSource);
    const { rows } = await connection.query<Row>({ name: this.name, text: this.text, values });
    return rows;
  }
}

/** TypeORM's name for the pool; its types do not know it. */
function poolOf({ driver }: DataSource): Pool {
  return (driver as unknown as { master: Pool }).master;
}
