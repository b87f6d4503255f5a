import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { SnakeCasePageResponse } from '@cxp/pagination';
import { PageQuery } from '../paging/page.dto';
import { SHOWN_FIELDS, type SurveyResponse } from './response-fields';
import { ResponseWindowQuery } from './response-window.dto';

export class ListResponsesQuery extends IntersectionType(ResponseWindowQuery, PageQuery) {}

/** For the document of `SurveyResponse`. */
export class SurveyResponseDto {
  @ApiProperty({ format: 'uuid', example: '0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11' })
  identifier: string;
}

for (const [name, { document }] of Object.entries(SHOWN_FIELDS)) {
  ApiProperty(document)(SurveyResponseDto.prototype, name);
}

export class SurveyResponsePageDto extends SnakeCasePageResponse {
  @ApiProperty({ type: [SurveyResponseDto] })
  items: readonly SurveyResponseDto[];
}

export interface SurveyResponsePage extends SnakeCasePageResponse {
  readonly items: readonly SurveyResponse[];
}
