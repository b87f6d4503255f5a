import type { PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { withConnection } from './limited-data-source';

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
  return withConnection(organizationId, dataSource, (client, manager) =>
    inTransactionOf<Row, Result>(client, opening, (rows) => work(manager, rows)),
  );
}

/**
 * The connection stays with the caller.
 * @param work gets the rows of the last opening statement
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
