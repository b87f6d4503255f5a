export { eventually } from './eventually';
export { findChromium, needs } from './programs';
export { runs, seed, seededRandom } from './random';
export {
  blocksReadBy,
  createTestDatabase,
  statementsThatWait,
  storedRows,
  type TestDatabase,
} from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
