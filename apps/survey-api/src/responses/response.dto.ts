import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { SnakeCasePageResponse } from '@cxp/pagination';
import { RESPONSE_SOURCES } from '@cxp/platform-records';
import { PageQuery } from '../paging/page.dto';
import type { Answers, JsonObject } from './answers';
import { ResponseWindowQuery } from './response-window.dto';

export class ListResponsesQuery extends IntersectionType(ResponseWindowQuery, PageQuery) {}

function ApiTime(description: string, example: string | null): PropertyDecorator {
  return ApiProperty({ type: String, format: 'date-time', nullable: true, example, description });
}

/** For the document of `SurveyResponse`. */
export class SurveyResponseDto {
  @ApiProperty({ format: 'uuid', example: '0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11' })
  identifier: string;

  @ApiTime('When the survey was sent.', '2026-11-19T02:00:00.000Z')
  sent_timestamp: string | null;

  @ApiTime('When sending failed.', null)
  sending_failed_timestamp: string | null;

  @ApiTime('When it was opened.', '2026-11-19T02:14:05.000Z')
  opened_timestamp: string | null;

  @ApiTime('When it was answered.', '2026-11-19T02:16:41.000Z')
  answered_timestamp: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Nguyễn Thị Hoa' })
  user_name: string | null;

  @ApiProperty({ type: String, nullable: true, example: '+84 90 123 4567' })
  user_phone: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'hoa@example.com' })
  user_email: string | null;

  @ApiProperty({
    enum: RESPONSE_SOURCES,
    type: String,
    nullable: true,
    example: 'Zalo',
    description: 'The distribution channel.',
  })
  source: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'INV-20261119-0042' })
  transaction_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { store: 'Hà Nội 01', cashier: 'NV-17' },
    description: 'Values by metadata variable.',
  })
  metadata_mappings: JsonObject | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: {
      '11': 'Nhân viên rất nhiệt tình',
      '12': '1',
      '13': ['2', 'Khác: bãi xe'],
      '14': { '1': 'Tốt', '2': 'Rất tốt' },
      '15': { '1': 2, '2': 1 },
    },
    description:
      'By question id. text: the text; multiple_choice: the option id; checkbox: option ids; matrix: column titles by row ' +
      'id; ranking: ranks from 1 by option id. An option that has no id ("other: …") is its text.',
  })
  answers: Answers | null;
}

export class SurveyResponsePageDto extends SnakeCasePageResponse {
  @ApiProperty({ type: [SurveyResponseDto] })
  items: readonly SurveyResponseDto[];
}
