export { migrate, type DatabaseArea } from './migrate';
export { pendingMigrations } from './pending-migrations';
export { DependencyUnavailableError, isDependencyUnavailable, violates } from './failures';
export { PostgresModule, type PostgresOptions } from './postgres.module';
export { PreparedStatement } from './prepared-statement';
export { RedisModule, connectRedis } from './redis.module';
export { RedisScript } from './redis-script';
export { unstorableTextPaths } from './storable-text';
export { WatchedClient } from './watched-client';
