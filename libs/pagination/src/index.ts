export { IntegerParameter, type IntegerRange } from './integer-parameter';
export { camelCasePage, pageRange, snakeCasePage, type Page } from './page';
export { CamelCasePageResponse, SnakeCasePageResponse } from './page-response.dto';
export {
  BucketChanges,
  bucketPage,
  countedPage,
  countMoved,
  DIGEST_OF_DAY,
  digestsOfDays,
  FIRST_DAY,
  LAST_DAY,
  digestValues,
  isWholeBuckets,
  pageValues,
  rebuildBuckets,
  type BucketedTable,
  type DayOffset,
  type PageSql,
} from './buckets';
