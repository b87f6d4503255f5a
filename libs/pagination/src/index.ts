export {
  camelCasePage,
  CamelCasePageResponse,
  IntegerParameter,
  pageRange,
  snakeCasePage,
  SnakeCasePageResponse,
  type Page,
} from './pages';
