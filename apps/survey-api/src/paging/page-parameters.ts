import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IntegerParameter } from '@cxp/pagination';

const DEFAULT_PER_PAGE = 10;
const MOST_PER_PAGE = 100;

/** A page as it is asked for; 0 is the first page, or the default size. */
export interface RequestedPage {
  readonly page?: number;
  readonly per_page?: number;
}

/** A page as it is read and answered. */
export interface PageWindow {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
  readonly limit: number;
}

export function pageWindow(requested: RequestedPage): PageWindow {
  const page = requested.page || 1;
  const perPage = requested.per_page || DEFAULT_PER_PAGE;
  return { page, perPage, offset: (page - 1) * perPage, limit: perPage };
}

export function PageParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 0,
      default: 1,
      description: 'From 1; 0 means the first page too. The answer says which page it is.',
    }),
    IsOptional(),
    Min(0),
    IsInt(),
    IntegerParameter(),
  );
}

export function PerPageParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 0,
      maximum: MOST_PER_PAGE,
      default: DEFAULT_PER_PAGE,
      description: '0 means the default. The answer says which size was used.',
    }),
    IsOptional(),
    Max(MOST_PER_PAGE),
    Min(0),
    IsInt(),
    IntegerParameter(),
  );
}
