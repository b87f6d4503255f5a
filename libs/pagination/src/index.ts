export { IntegerParameter, type IntegerRange } from './integer-parameter';
export { camelCasePage, pageRange, snakeCasePage, type Page } from './page';
export { CamelCasePageResponse, SnakeCasePageResponse } from './page-response.dto';
