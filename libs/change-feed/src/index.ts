export { canonicalJson, canonicalWriter } from './canonical-json';
export {
  ChangeFeed,
  type Change,
  type ChangePage,
  type FeedDefinition,
  type PageRequest,
  type StreamedChange,
} from './change-feed';
export { ChangeFeedMaintenance } from './change-feed.maintenance';
export { ChangeFeedModule, type ChangeFeedModuleOptions } from './change-feed.module';
export { createChangeFeedTables } from './change-feed-tables';
export {
  advanceFeed,
  ChangeRepository,
  type FirstNumbers,
  REPLACES_REMOVAL,
  UNNUMBERED,
} from './change.repository';
export { changesJson } from './changes-json';
export { digestsJson } from './digests-json';
export { ChangeWatch } from './change-watch';
export { ChangesQuery, CURSOR_PROBLEMS } from './changes-query.dto';
export { hexDigest, hexDigestSql, rowDigest, textDigest } from './row-digest';
