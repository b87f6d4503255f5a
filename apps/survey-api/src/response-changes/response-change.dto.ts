import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  IntersectionType,
  PickType,
} from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import type { Change, ChangeFormat, RemovalReason } from '@cxp/change-feed';
import { ResponseWindowQuery, SurveyResponseDto } from '../responses/response.dto';
import type { ShownResponse, FeedRow } from '../responses/response-fields';

class CampaignFilter {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only responses of this campaign.' })
  @IsOptional()
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id?: string;
}

export class ListResponseDigestsQuery extends IntersectionType(
  PickType(ResponseWindowQuery, ['start_date', 'end_date']),
  CampaignFilter,
) {}

class ResponseKey {
  @ApiProperty({ format: 'uuid', example: '0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11' })
  identifier: string;
}

class ResponseUpsert {
  @ApiProperty({ enum: ['upsert'] })
  op: 'upsert';

  @ApiProperty({ type: 'integer', example: 1041, description: 'Grows in the order of commits.' })
  change: number;

  @ApiProperty()
  key: ResponseKey;

  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  survey_campaign_id: string;

  @ApiProperty({
    example: '9f86d081884c7d65',
    description:
      'The first 8 bytes, in hexadecimal, of SHA-256 over the canonical JSON (RFC 8785) of `key`, `survey_campaign_id` and ' +
      '`row`.',
  })
  digest: string;

  @ApiProperty({ type: SurveyResponseDto })
  row: ShownResponse;
}

class ResponseDelete {
  @ApiProperty({ enum: ['delete'] })
  op: 'delete';

  @ApiProperty({ type: 'integer', example: 1042 })
  change: number;

  @ApiProperty()
  key: ResponseKey;

  @ApiProperty({ enum: ['removed', 'erased', 'expired'] })
  reason: RemovalReason;
}

export type ResponseChange = ResponseUpsert | ResponseDelete;

@ApiExtraModels(ResponseUpsert, ResponseDelete)
export class ResponseChangePageResponse {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [ResponseUpsert, ResponseDelete].map((change) => ({ $ref: getSchemaPath(change) })) },
  })
  items: readonly ResponseChange[];

  @ApiProperty({
    type: 'integer',
    example: 1042,
    description:
      'A copy that has applied the items holds everything up to this number. Compare it with digests of the same number.',
  })
  change: number;

  @ApiProperty({ example: 'eyJlcG9jaCI6ImI3YzQifQ', description: 'Continues after the last item.' })
  next_cursor: string;

  @ApiProperty({
    description: 'Whether there are changes after the last item. If not, the copy is complete.',
  })
  has_more: boolean;
}

export class ResponseDayDigest {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  survey_campaign_id: string;

  @ApiProperty({ format: 'date', example: '2026-11-19', description: 'In UTC+7.' })
  date: string;

  @ApiProperty({
    type: 'integer',
    example: 312,
    description: 'Responses whose earliest timestamp falls on this day.',
  })
  rows: number;

  @ApiProperty({
    example: '5f1c0a7b4d3e2f10',
    description: 'The XOR of the digests of these rows, in hexadecimal.',
  })
  digest: string;
}

export class ResponseDigestsResponse {
  @ApiProperty({
    type: 'integer',
    example: 1043,
    description: 'The last number of the organization. Read the changes up to it before you compare.',
  })
  change: number;

  @ApiProperty({
    example: 'eyJlcG9jaCI6ImI3YzQifQ',
    description: 'Where a copy that equals the digests goes on in the changes.',
  })
  cursor: string;

  @ApiProperty({ type: [ResponseDayDigest], description: 'By campaign and day, in order.' })
  items: readonly ResponseDayDigest[];
}

export const RESPONSE_CHANGE_FORMAT: ChangeFormat<FeedRow> = {
  items: (changes) => changes.map((change) => JSON.stringify(responseChange(change))),
  end: ({ nextCursor, hasMore }) => ({ next_cursor: nextCursor, has_more: hasMore }),
};

function responseChange(item: Change<FeedRow>): object {
  const { op, change } = item;
  switch (item.op) {
    case 'upsert': {
      const { survey_campaign_id, digest, ...row } = item.row;
      return { op, change, key: { identifier: row.identifier }, survey_campaign_id, digest, row };
    }
    case 'delete':
      return { op, change, key: JSON.parse(item.key) as { identifier: string }, reason: item.reason };
    case 'resync':
      throw new Error('the feed of survey responses has no resyncs');
  }
}
