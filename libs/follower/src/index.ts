export { CommandError, UsageError } from './errors';
export { type Demo, followCommand } from './follow.command';
export { type FollowedArea, followedAreas } from './followed-area';
export { Follower, type FollowSummary } from './follower';
export { PostgresCopy } from './postgres-copy';
