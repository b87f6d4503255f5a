export { canonicalJson, canonicalWriter } from './canonical-json';
export { ChangeAnswers, type ChangeFormat, lineWithCursor } from './change-answers';
export {
  ChangeFeed,
  type Change,
  type ChangePage,
  type FeedDefinition,
  type PageRequest,
} from './change-feed';
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
export { ChangesQuery, CURSOR_PROBLEMS } from './changes-query.dto';
export { FeedEpoch } from './feed-epoch';
export { hexDigest, hexDigestSql, rowDigest, textDigest } from './row-digest';
