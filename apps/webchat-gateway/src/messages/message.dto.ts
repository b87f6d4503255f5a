import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { CodePoints } from '@cxp/service-kit';
import { MAX_MESSAGE_CHARACTERS, SENDER_TYPES, type Message, type SenderType } from '../chat-protocol/shapes';

/** Who may write through the internal API: customers write over their sockets. */
const PLATFORM_SENDERS = SENDER_TYPES.filter((type) => type !== 'customer');

export class MessageResponse implements Message {
  @ApiProperty({ example: '5d3c1f0a-2f55-4c6f-9d0b-0f1e2d3c4b5a' })
  id: string;

  @ApiProperty({
    type: 'integer',
    example: 17,
    description: 'From 1, without gaps, within the conversation.',
  })
  sequence: number;

  @ApiProperty({ enum: SENDER_TYPES, example: 'agent' })
  senderType: SenderType;

  @ApiProperty({ type: String, nullable: true, example: 'Linh' })
  senderName: string | null;

  @ApiProperty({ example: 'Hello, how can I help?' })
  text: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-05T02:11:09.000Z' })
  sentAt: string;

  @ApiProperty({ type: String, nullable: true, description: "The sending client's own id of the message." })
  clientId: string | null;
}

export class ReadMarksResponse {
  @ApiProperty({ type: 'integer', example: 16, description: 'Up to which message the customer has read.' })
  customer: number;

  @ApiProperty({ type: 'integer', example: 17, description: 'Up to which message the agents have read.' })
  agent: number;
}

export class HistoryResponse {
  @ApiProperty({ type: [MessageResponse], description: 'Oldest first.' })
  items: readonly MessageResponse[];

  @ApiProperty({ description: 'Whether there are more in the direction of the page.' })
  hasMore: boolean;

  @ApiProperty({ type: ReadMarksResponse })
  read: ReadMarksResponse;
}

/** A message of an agent or a bot. */
export class PostMessageRequest {
  /** Unique in the organization; sending it again changes nothing. */
  @CodePoints(1, 255)
  @IsNotEmpty()
  @IsString()
  id: string;

  @IsIn(PLATFORM_SENDERS, { message: `$property must be one of: ${PLATFORM_SENDERS.join(', ')}` })
  senderType: SenderType;

  /** Shown to the customer. */
  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  senderName?: string | null;

  @CodePoints(1, MAX_MESSAGE_CHARACTERS)
  @Matches(/\S/, { message: '$property must not be blank' })
  @IsString()
  text: string;
}

/** Somebody of the platform's side started or stopped typing. */
export class PostTypingRequest {
  @IsIn(PLATFORM_SENDERS, { message: `$property must be one of: ${PLATFORM_SENDERS.join(', ')}` })
  senderType: SenderType;

  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  senderName?: string | null;

  @IsIn([true, false], { message: '$property must be a boolean value' })
  active: boolean;
}

/** Up to which message the platform's side has read. */
export class PostReadRequest {
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  sequence: number;
}
