import { ApiProperty } from '@nestjs/swagger';

/** What every list answers around its items. */
export class PageResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Items on all pages together.' })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 10 })
  per_page: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: '0 when there are no items.' })
  pages: number;
}
