export {
  BucketChanges,
  bucketPage,
  countedPage,
  countMoved,
  DIGEST_OF_DAY,
  digestsOfDays,
  FIRST_DAY,
  LAST_DAY,
  DIGEST_PARAMETERS,
  digestValues,
  isWholeBuckets,
  PAGE_PARAMETERS,
  pageValues,
  rebuildBuckets,
  type BucketedTable,
  type DayOffset,
  type PageSql,
} from './buckets';
export {
  ChangeAnswers,
  ChangesQuery,
  CURSOR_PROBLEMS,
  type ChangeFormat,
  lineWithCursor,
} from './change-answers';
export { FeedEpoch } from './change-cursor';
export { ChangeFeed, type Change, type ChangePage, type FeedDefinition } from './change-feed';
export { ChangeFeedMaintenance } from './change-feed.maintenance';
export { ChangeFeedModule, type ChangeFeedModuleOptions } from './change-feed.module';
export {
  advanceFeed,
  ChangeRepository,
  type Removal,
  type RemovalReason,
  REPLACES_REMOVAL,
} from './change.repository';
export { ChangeWatch } from './change-watch';
export { canonicalJson, canonicalWriter, hexDigest, hexDigestSql, rowDigest, textDigest } from './row-digest';
