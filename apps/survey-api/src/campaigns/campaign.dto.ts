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
import { commaSeparated, SnakeCasePageQuery, SnakeCasePageResponse } from '@cxp/pagination';
import { IsCalendarDate } from '@cxp/service-kit';
import { Transform } from 'class-transformer';

/** Repeated, comma-separated (`statuses=a,b`), or both. */
function ListParameter(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => commaSeparated([value].flat().join(',')));
}

export class ListCampaignsQuery extends SnakeCasePageQuery {
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    description:
      'Only these campaigns. The parameter may be repeated, bracketed (`survey_campaign_ids[]=`) or comma-separated.',
  })
  @ListParameter()
  @IsOptional()
  @IsUUID('loose', { each: true, message: 'each of $property must be a uuid' })
  survey_campaign_ids?: string[];

  @ApiPropertyOptional({
    isArray: true,
    enum: CAMPAIGN_STATUSES,
    description:
      'Only campaigns of these statuses. Default: all but `deleted`. Arrays are written as for the ids.',
  })
  @ListParameter()
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
