export { blocksReadBy } from './blocks-read';
export { findChromium } from './chromium';
export { createTestDatabase, type TestDatabase } from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
