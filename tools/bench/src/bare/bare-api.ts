import fastify, { type FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { perSecondAndMinute, RedisThrottlerStorage } from '@cxp/rate-limit';

/** What the bare handlers share that services are measured against: stores, and a server that is ready at once. */
export const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true });
export const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
export const limiter = new RedisThrottlerStorage(redis);
export const WINDOWS = perSecondAndMinute(
  { BARE_PER_SEC_LIMIT: 1_000_000, BARE_PER_MIN_LIMIT: 1_000_000 },
  'BARE',
);

/** Runs a statement that is prepared by its name, as the services do. */
export async function bareQuery<Row extends object>(
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name, text, values });
  return rows;
}

/** A server that listens once its routes were added. @param portVariable names the port */
export function bareApp(portVariable: string): FastifyInstance {
  const app = fastify();
  app.get('/health/ready', () => ({ ready: true, pid: process.pid }));
  setImmediate(() => void app.listen({ port: Number(process.env[portVariable]), host: '::' }));
  return app;
}
