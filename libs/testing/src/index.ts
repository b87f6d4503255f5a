export { findOnPath, unpackedDebianPackage } from './debian-packages';
export { freePort } from './free-port';
export { startGuarded, waitUntilReady, type GuardedCommand, type GuardedProcess } from './guarded-process';
export type { LocalServer, LocalServerOptions } from './local-server';
export { startPostgres } from './postgres-server';
export { startRedis } from './redis-server';
export {
  startService,
  typescriptRegister,
  type ServiceOptions,
  type ServiceProcess,
} from './service-process';
export { createTestDatabase, type TestDatabase } from './test-database';
export { createTestRedis, type TestRedis } from './test-redis';
export { workspaceRoot } from './workspace-root';
