export {
  IN_INDEX_ORDER,
  bigintAsNumber,
  memoize,
  Statement,
  UnscopedStatement,
  type OrganizationParameters,
  type Parameters,
  type ParameterType,
  type ValuesOf,
  type StatementMode,
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
} from './statement';
export { openDatabase, type DatabaseSchema } from './database-schema';
export { ADVISORY_LOCKS } from './locks';
export { migrate, pendingMigrations } from './migrate';
export {
  DependencyUnavailableError,
  failureReason,
  isDataFault,
  isDependencyUnavailable,
  storeAddress,
  UnusableStoreError,
  violates,
} from './failures';
export {
  pause,
  pauseAfter,
  noteServed,
  STREAM_PAUSE,
  withPauses,
  yieldToEventLoop,
} from './concurrency/yield-to-event-loop';
export { jobDescriptions, RepeatedJob, RunsByItself } from './concurrency/repeated-job';
export { KeyedLimit } from './concurrency/keyed-limit';
export { GroupCommit } from './concurrency/group-commit';
export {
  CONNECTIONS_BESIDE_POOL,
  PostgresModule,
  TOKEN_DATA_SOURCE,
  WORK_DATA_SOURCE,
} from './postgres.module';
export { PostgresProbe } from './postgres-probe';
export { inPieces, inPiecesOfBytes, organizationsIn, pagesById, readAhead } from './pages';
export { inNameOf, inTransaction, LimitedDataSource, withRepository } from './limited-data-source';
export { connectRedis, REDIS_URL_PATTERN, RedisModule, RedisScript, subscriberOf } from './redis.module';
export { isStorable, unstorableTextPaths } from './storable-text';
export { DAY_MS, REQUEST_LIMIT_MS, REQUEST_MS, utcTimeSql } from './times';
