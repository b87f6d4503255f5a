import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  CAMPAIGN_STATUSES,
  type CampaignStatus,
  METRIC_TYPES,
  type MetricType,
  QUESTION_TYPES,
  type QuestionType,
} from '@cxp/records';
import { IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import { IntegerParameter, SnakeCasePageResponse } from '@cxp/pagination';
import { IsCalendarDate } from '@cxp/service-kit';
import { Transform } from 'class-transformer';

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

export class ListCampaignsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    description:
      'Only these campaigns. The parameter may be repeated, bracketed (`survey_campaign_ids[]=`) or comma-separated.',
  })
  @ArrayParameter()
  @IsOptional()
  @IsUUID('loose', { each: true, message: 'each of $property must be a uuid' })
  survey_campaign_ids?: string[];

  @ApiPropertyOptional({
    isArray: true,
    enum: CAMPAIGN_STATUSES,
    description:
      'Only campaigns of these statuses. Default: all but `deleted`. Arrays are written as for the ids.',
  })
  @ArrayParameter()
  @IsOptional()
  @IsIn(CAMPAIGN_STATUSES, {
    each: true,
    message: `each of $property must be one of: ${CAMPAIGN_STATUSES.join(', ')}`,
  })
  statuses?: CampaignStatus[];

  @ApiPropertyOptional({
    format: 'date',
    example: '2026-11-01',
    description: 'Only campaigns with an interaction on this day (UTC+7) or later.',
  })
  @IsOptional()
  @IsCalendarDate()
  has_interaction_from?: string;

  @ApiPropertyOptional({
    example: 'khảo sát',
    description: 'Only campaigns whose name contains this text, regardless of case.',
  })
  @IsOptional()
  @IsString()
  search?: string;
}

export class SurveyQuestionResponse {
  @ApiProperty({ type: 'integer', example: 12 })
  id: number;

  @ApiProperty({ enum: QUESTION_TYPES, example: 'multiple_choice' })
  type: QuestionType;

  @ApiProperty({ enum: METRIC_TYPES, type: String, nullable: true, example: 'csat' })
  metric_type: MetricType | null;

  @ApiProperty({ example: 'Anh/chị hài lòng với dịch vụ ở mức nào?' })
  title: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: { '1': 'Rất hài lòng', '2': 'Hài lòng', '3': 'Không hài lòng' },
    description: 'Titles by option id, of checkbox, multiple_choice and ranking questions.',
  })
  option_titles_by_id: Readonly<Record<string, string>> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: null,
    description: 'Titles by row id, of matrix questions.',
  })
  row_titles_by_id: Readonly<Record<string, string>> | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: null,
    description: 'Titles of the columns, of matrix questions.',
  })
  column_titles: readonly string[] | null;
}

export class CampaignResponse {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  id: string;

  @ApiProperty({ example: 'Khảo sát sau mua hàng' })
  name: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T08:15:30.000Z',
    description: 'The latest interaction: sent, sending failed, opened or answered.',
  })
  last_interacted_at: string | null;

  @ApiProperty({ type: [SurveyQuestionResponse], description: 'In the order of the survey.' })
  survey_questions: readonly SurveyQuestionResponse[];
}

export class CampaignPageResponse extends SnakeCasePageResponse {
  @ApiProperty({ type: [CampaignResponse] })
  items: readonly CampaignResponse[];
}

/**
 * An array parameter: repeated, comma-separated (`statuses=a,b`), or both. Items are trimmed and empty ones dropped; an empty
 * array is no filter.
 */
export function ArrayParameter(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => {
    const items = [value]
      .flat()
      .flatMap((item) => String(item).split(','))
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items.length > 0 ? items : undefined;
  });
}
