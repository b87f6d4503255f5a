export { findOnPath, unpackedDebianPackage } from './debian-packages';
export { startGuarded, waitUntilReady, type GuardedCommand, type GuardedProcess } from './guarded-process';
export { freePort, type LocalServer, type LocalServerOptions } from './local-server';
export { startPgBouncer } from './pgbouncer-server';
export { oldestPostgres, startPostgres, type PostgresBinaries } from './postgres-server';
export { redisBinary, startRedis } from './redis-server';
export {
  answersOk,
  startService,
  typescriptRegister,
  type ServiceOptions,
  type ServiceProcess,
} from './service-process';
export { imageEnvironment, workspaceRoot } from './workspace';
