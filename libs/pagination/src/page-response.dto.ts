import { ApiProperty } from '@nestjs/swagger';

export class CamelCasePageResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Items on all pages.' })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 50 })
  perPage: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: '0 if there are no items.' })
  pages: number;
}

export class SnakeCasePageResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Items on all pages.' })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 10 })
  per_page: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: '0 if there are no items.' })
  pages: number;
}
