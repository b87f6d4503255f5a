export { FaultyProxy } from './faulty-proxy';
export { findOnPath, unpackedDebianPackage } from './debian-packages';
export {
  answersOk,
  freePort,
  imageEnvironment,
  startGuarded,
  startService,
  typescriptRegister,
  waitUntilReady,
  workspaceRoot,
  type GuardedProcess,
  type ServiceProcess,
} from './processes';
export {
  oldestPostgres,
  redisBinary,
  startPgBouncer,
  startPostgres,
  startRedis,
  type LocalServer,
  type PostgresBinaries,
} from './servers';
