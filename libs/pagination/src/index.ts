export {
  camelCasePage,
  CamelCasePageResponse,
  IntegerParameter,
  JSON_TYPE,
  pageRange,
  snakeCasePage,
  snakeCasePageJson,
  SnakeCasePageResponse,
  type Page,
} from './pages';
