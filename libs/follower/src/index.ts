export type { CopyDatabase } from './database';
export { DuckdbDatabase } from './duckdb-database';
export { CommandError, UsageError } from './errors';
export { type Demo, followCommand } from './follow.command';
export { type FollowedArea, followedAreas } from './followed-area';
export { Follower, type FollowSummary } from './follower';
export { PostgresDatabase } from './postgres-database';
export { type CopyOptions, TableCopy } from './table-copy';
