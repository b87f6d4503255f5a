import type { PoolClient } from 'pg';
import type { EntityManager } from 'typeorm';

/**
 * A statement that each connection parses once, and plans as rarely as PostgreSQL thinks fit: for short statements that
 * are run often, where planning costs more than running. Behind PgBouncer's transaction pooling this needs 1.21 or later.
 */
export class PreparedStatement<Row extends object> {
  /**
   * @param name unique in the service; a statement that changes its text is another statement
   * @param text SQL with `$1` for parameters; one whose best plan depends on their values is better not prepared
   */
  constructor(
    private readonly name: string,
    readonly text: string,
  ) {}

  /** Runs in the manager's transaction, or over a connection of its own. */
  async run(manager: EntityManager, values: unknown[]): Promise<Row[]> {
    const runner = manager.queryRunner ?? manager.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      const { rows } = await client.query<Row>({ name: this.name, text: this.text, values });
      return rows;
    } finally {
      if (!manager.queryRunner) await runner.release();
    }
  }
}
