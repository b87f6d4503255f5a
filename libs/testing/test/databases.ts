import { startPostgres, startRedis } from '../src/local-servers';

/** Started as a process of its own: brings up both databases, says where they are, and goes on until it is ended. */
async function main(): Promise<void> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  console.log(JSON.stringify({ postgres: postgres.url, redis: redis.url }));
  setInterval(() => undefined, 1000);
}

void main();
