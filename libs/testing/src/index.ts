export { blocksReadBy, statementsThatWait } from './database-activity';
export { collectGarbage } from './collect-garbage';
export { eventually } from './eventually';
export { findChromium, needs } from './programs';
export { runs, seed, seededRandom } from './random';
export { SERVING_ROLE } from './test-run';
export { createTestDatabase, dropTestDatabases, type TestDatabase } from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
