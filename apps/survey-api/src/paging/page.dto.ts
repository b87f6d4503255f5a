import { IntegerParameter } from '@cxp/pagination';

const DEFAULT_PER_PAGE = 10;
const MAX_PER_PAGE = 100;

export class PageQuery {
  @IntegerParameter({
    minimum: 0,
    default: 1,
    description: 'From 1; 0 is the first page, too. The answer contains the page that was used.',
  })
  page?: number;

  @IntegerParameter({
    minimum: 0,
    maximum: MAX_PER_PAGE,
    default: DEFAULT_PER_PAGE,
    description: '0 is the default. The answer contains the size that was used.',
  })
  per_page?: number;
}

export function pageOf({ page, per_page }: PageQuery): { page: number; perPage: number } {
  return { page: page || 1, perPage: per_page || DEFAULT_PER_PAGE };
}
