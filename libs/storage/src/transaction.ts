import type { PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { withConnection } from './limited-data-source';

/**
 * Runs work in a transaction whose first statements are sent along with its start: a request that writes waits once for them. The work must not
 * use another connection of its organization.
 * @param organizationId in whose name; undefined: in nobody's
 * @param opening statements without parameters
 * @param work is given the rows of the last of them
 */
export async function inTransaction<Row extends object, Result>(
  dataSource: DataSource,
  organizationId: string | undefined,
  opening: readonly string[],
  work: (manager: EntityManager, rows: readonly Row[]) => Promise<Result>,
): Promise<Result> {
  return withConnection(organizationId, dataSource, (client, manager) =>
    inTransactionOf<Row, Result>(client, opening, (rows) => work(manager, rows)),
  );
}

/**
 * The same over a connection of pg, which stays with the caller.
 * @param work is given the rows of the last of the opening statements
 */
export async function inTransactionOf<Row extends object, Result>(
  client: PoolClient,
  opening: readonly string[],
  work: (rows: readonly Row[]) => Promise<Result>,
): Promise<Result> {
  try {
    const text = ['START TRANSACTION', ...opening].join(';\n');
    const results: QueryResult<Row>[] = [await client.query<Row>(text)].flat();
    const result = await work(results.at(-1)!.rows);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // If the connection is lost, the error above is thrown.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
