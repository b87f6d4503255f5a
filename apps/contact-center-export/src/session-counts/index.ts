export { countedPage, countedPageValues, createPageFunctions, type Scope, scopeOf } from './counted-pages';
export {
  type FilteredRow,
  type Filter,
  type FilterValues,
  FILTERS,
  type Group,
  type GroupColumn,
  groupOf,
  type SessionFilter,
} from './filters';
export { ALL_ROWS, ALL_GROUPS, SessionCountChanges } from './session-count-changes';
export { SessionCountRepository } from './session-count.repository';
