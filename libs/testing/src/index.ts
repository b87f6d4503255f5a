export { blocksReadBy } from './blocks-read';
export { collectGarbage } from './collect-garbage';
export { eventually } from './eventually';
export { statementsThatWait } from './lock-waits';
export { findChromium, needs } from './programs';
export { runs, seed, seededRandom } from './random';
export { SERVING_ROLE } from './serving-role';
export { createTestDatabase, dropTestDatabases, type TestDatabase } from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
