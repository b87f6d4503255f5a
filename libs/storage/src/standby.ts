import type { ClientBase, Pool } from 'pg';
import { DependencyUnavailableError } from './failures';

/**
 * A server in recovery may lack answered writes, and its numbers of changes and pages would go back.
 * @throws DependencyUnavailableError
 */
export async function refuseStandby(connection: ClientBase | Pool): Promise<void> {
  const { rows } = await connection.query<{ isStandby: boolean }>(
    'SELECT pg_is_in_recovery() AS "isStandby"',
  );
  if (rows[0]!.isStandby) throw new DependencyUnavailableError('the server is in recovery: it is a standby');
}
