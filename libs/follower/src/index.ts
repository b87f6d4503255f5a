export { CommandError, UsageError } from './database';
export { DuckdbDatabase } from './duckdb';
export { followCommand } from './follow.command';
export { type FollowedFeed, followedFeeds } from './followed-feed';
export { Follower, type FollowSummary } from './follower';
export { PostgresDatabase } from './postgres';
export { type Explain, explainBy, makeReport } from './report/report.command';
export { type CopyOptions, TableCopy } from './table-copy';
export type { Demo } from './target';
