export { blocksReadBy } from './blocks-read';
export { findChromium } from './chromium';
export { collectGarbage } from './collect-garbage';
export { statementsThatWait } from './lock-waits';
export { SERVING_ROLE } from './serving-role';
export { createTestDatabase, dropTestDatabases, type TestDatabase } from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
