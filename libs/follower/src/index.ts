export { CommandError, UsageError } from './database';
export { DuckdbDatabase, PostgresDatabase } from './databases';
export { type Demo, followCommand } from './follow.command';
export { type FollowedArea, followedAreas } from './followed-area';
export { Follower, type FollowSummary } from './follower';
export { TableCopy } from './table-copy';
