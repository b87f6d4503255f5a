export { IntegerParameter } from './page-request';
export {
  camelCasePage,
  pageCount,
  snakeCasePage,
  type CamelCasePage,
  type Page,
  type SnakeCasePage,
} from './page-answer';
