import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const isPrepared = process.env.BENCH_PREPARED === 'on';

/**
 * Runs a statement for a bare handler: as text, as most handlers do, or prepared, as the services do.
 * @param name of the statement when it is prepared (`BENCH_PREPARED=on`)
 */
export async function bareQuery<Row extends object>(
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name: isPrepared ? name : undefined, text, values });
  return rows;
}
