export {
  bigintAsNumber,
  booleanColumn,
  byteaColumn,
  jsonColumn,
  nullable,
  numberColumn,
  selectList,
  textColumn,
  textsColumn,
  timeColumn,
  type Column,
  type Columns,
  type RowOf,
} from './columns';
export { openDatabase, type DatabaseArea } from './database-area';
export { migrate } from './migrate';
export { pendingMigrations } from './pending-migrations';
export { DependencyUnavailableError, isDataFault, isDependencyUnavailable, violates } from './failures';
export { pause, withPauses, yieldToEventLoop } from './concurrency/yield-to-event-loop';
export { RepeatedJob } from './concurrency/repeated-job';
export { KeyedLimit } from './concurrency/keyed-limit';
export { GroupCommit, type GroupCommitOptions } from './concurrency/group-commit';
export { failureReason, storeAddress, UnusableStoreError } from './store-address';
export {
  CONNECTIONS_BESIDE_POOL,
  PostgresModule,
  TOKEN_DATA_SOURCE,
  WORK_DATA_SOURCE,
  type PostgresOptions,
} from './postgres.module';
export { PostgresProbe } from './postgres-probe';
export { inPieces, pagesById, readAhead } from './pages';
export { inNameOf, LimitedDataSource, withConnection, withRepository } from './limited-data-source';
export { organizationsIn } from './organizations-in';
export {
  memoize,
  Statement,
  UnscopedStatement,
  type OrganizationValues,
  type StatementMode,
} from './statement';
export { connectRedis, REDIS_URL_PATTERN, subscriberOf } from './redis-connection';
export { RedisModule } from './redis.module';
export { RedisScript } from './redis-script';
export { isStorable, unstorableTextPaths } from './storable-text';
export { inTransaction, inTransactionOf } from './transaction';
export { REQUEST_MS, requestMs, setRequestMs } from './times';
