import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { IsCalendarDate, IsNotBefore } from '@cxp/service-kit';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { SnakeCasePageQuery, SnakeCasePageResponse } from '@cxp/pagination';
import { SHOWN_FIELDS } from './response-fields';

export class ResponseWindowQuery {
  @ApiProperty({
    format: 'uuid',
    example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01',
    description: 'The campaign.',
  })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;

  @ApiProperty({
    format: 'date',
    example: '2026-01-01',
    description: 'The first day, in UTC+7. A response belongs to the day of its earliest timestamp.',
  })
  @IsCalendarDate()
  start_date: string;

  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'The last day, in UTC+7, included.' })
  @IsNotBefore('start_date')
  @IsCalendarDate()
  end_date: string;
}

export const UNKNOWN_CAMPAIGN = {
  loc: ['query', 'survey_campaign_id'],
  msg: 'survey_campaign_id must be a survey campaign of the organization',
  type: 'unknown_campaign',
};

export const RESPONSE_WINDOW_PROBLEMS = {
  'missing or invalid parameters': {
    code: 'invalid',
    items: [
      { loc: ['query', 'start_date'], msg: 'Field required', type: 'missing' },
      {
        loc: ['query', 'end_date'],
        msg: 'end_date must be a date (YYYY-MM-DD)',
        type: 'date_from_datetime_parsing',
      },
    ],
  },
  'the organization has no such campaign': { code: 'invalid', items: [UNKNOWN_CAMPAIGN] },
} as const;

/**
 * C2 and C3 have no 404: an unknown campaign is a bad parameter.
 * @throws ProblemError 422
 */
export function rejectUnknownCampaign(): never {
  rejectAsInvalid(UNKNOWN_CAMPAIGN);
}

export class ListResponsesQuery extends IntersectionType(ResponseWindowQuery, SnakeCasePageQuery) {}

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
