import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { ChangesQuery, type RemovalReason } from '@cxp/change-feed';
import {
  ConversationQuery,
  ConversationSessionResponse,
  WindowQuery,
} from '../conversation-sessions/conversation-session.dto';

export class ConversationSessionChangesQuery extends IntersectionType(ConversationQuery, ChangesQuery) {}

export class ConversationSessionDigestsQuery extends WindowQuery {}

class ConversationSessionKey {
  @ApiProperty({ example: 'c-1001' })
  conversationId: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  sessionIndex: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 9001 })
  ticketId: number | null;
}

class ConversationSessionUpsert {
  @ApiProperty({ enum: ['upsert'] })
  op: 'upsert';

  @ApiProperty({ type: 'integer', description: 'Grows in the order of commits.', example: 1041 })
  change: number;

  @ApiProperty()
  key: ConversationSessionKey;

  @ApiProperty({ format: 'date-time', example: '2026-01-05T02:41:30.000Z' })
  conversationUpdatedAt: string;

  @ApiProperty({
    description:
      'The first 8 bytes, in hexadecimal, of SHA-256 over the canonical JSON (RFC 8785) of key, conversationUpdatedAt and row, ' +
      'the row without its three business-hours fields.',
    example: '9f86d081884c7d65',
  })
  digest: string;

  @ApiProperty()
  row: ConversationSessionResponse;
}

class ConversationSessionDelete {
  @ApiProperty({ enum: ['delete'] })
  op: 'delete';

  @ApiProperty({ type: 'integer', example: 1042 })
  change: number;

  @ApiProperty()
  key: ConversationSessionKey;

  @ApiProperty({ enum: ['removed', 'erased', 'expired'] })
  reason: RemovalReason;
}

class ConversationSessionResync {
  @ApiProperty({ enum: ['resync'], description: 'Rows have to be read again from the beginning.' })
  op: 'resync';

  @ApiProperty({ type: 'integer', example: 1043 })
  change: number;

  @ApiProperty({ enum: ['human_schedule'] })
  reason: string;
}

const CHANGES = [ConversationSessionUpsert, ConversationSessionDelete, ConversationSessionResync];

@ApiExtraModels(...CHANGES)
export class ConversationSessionChangePageResponse {
  @ApiProperty({
    type: 'array',
    items: { oneOf: CHANGES.map((change) => ({ $ref: getSchemaPath(change) })) },
  })
  items: (ConversationSessionUpsert | ConversationSessionDelete | ConversationSessionResync)[];

  @ApiProperty({
    type: 'integer',
    description:
      'A copy that has applied the items holds everything up to this number. Compare it with digests of the same number.',
    example: 1043,
  })
  change: number;

  @ApiProperty({ description: 'Continues after the last item.', example: 'cGF0aWVuY2UgaXMgYSB2aXJ0dWUgb2Y' })
  nextCursor: string;

  @ApiProperty({
    description: 'Whether there are changes after the last item. If not, the copy is complete.',
  })
  hasMore: boolean;
}

class DayDigest {
  @ApiProperty({ format: 'date', example: '2026-01-05' })
  date: string;

  @ApiProperty({
    type: 'integer',
    description: 'Rows of conversations that were last updated on this day.',
    example: 312,
  })
  rows: number;

  @ApiProperty({
    description: 'The XOR of the digests of these rows, in hexadecimal.',
    example: '5f1c0a7b4d3e2f10',
  })
  digest: string;
}

export class ConversationSessionDigestsResponse {
  @ApiProperty({
    type: 'integer',
    description: 'The last number of the organization. Read changes up to it before you compare.',
    example: 1043,
  })
  change: number;

  @ApiProperty({
    description: 'Where a copy that equals the digests goes on in the changes.',
    example: 'cGF0aWVuY2UgaXMgYSB2aXJ0dWUgb2Y',
  })
  cursor: string;

  @ApiProperty({ type: [DayDigest], description: 'The days that hold rows, in order.' })
  items: DayDigest[];
}
