import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { IsCalendarDate, IsNotBefore } from '@cxp/service-kit';
import { ChangeCursorParameter } from './change-cursor';

/** What C2 and C3 have in common: the responses of a campaign, within a window of days. */
export class ResponseWindowQuery {
  @ApiProperty({
    format: 'uuid',
    example: 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42',
    description: 'The campaign.',
  })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;

  @ApiProperty({
    format: 'date',
    example: '2026-09-01',
    description: 'The first day, in UTC+7. A response belongs to the day of its earliest timestamp.',
  })
  @IsCalendarDate()
  start_date: string;

  @ApiProperty({ format: 'date', example: '2026-11-20', description: 'The last day, in UTC+7, included.' })
  @IsNotBefore('start_date')
  @IsCalendarDate()
  end_date: string;

  @ApiPropertyOptional({
    type: String,
    example: 'Y2hhbmdlOjEyMDQ',
    description:
      'Follows changes: the responses of the window that are new or changed since the answer that gave this cursor, in ' +
      'the order of their changes; empty: from the beginning. Nothing is left out and nothing repeated, unless it ' +
      'changed again. Let `end_date` lie ahead: a response outside the window is not shown later.',
  })
  @IsOptional()
  @ChangeCursorParameter()
  cursor?: number;
}
