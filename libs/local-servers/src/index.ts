export { findOnPath, unpackedDebianPackage } from './debian-packages';
export { oldestPostgres, type PostgresBinaries } from './debian-postgres';
export { freePort } from './free-port';
export { startGuarded, waitUntilReady, type GuardedCommand, type GuardedProcess } from './guarded-process';
export { imageEnvironment } from './image-environment';
export type { LocalServer, LocalServerOptions } from './local-server';
export { startPgBouncer } from './pgbouncer-server';
export { startPostgres } from './postgres-server';
export { redisBinary, startRedis } from './redis-server';
export {
  startService,
  typescriptRegister,
  type ServiceOptions,
  type ServiceProcess,
} from './service-process';
export { workspaceRoot } from './workspace-root';
