import { ApiProperty } from '@nestjs/swagger';
import { Type, type Static } from '@sinclair/typebox';
import { CHAT_EVENTS } from '../chat-protocol/events';
import {
  Agent,
  ConversationStatus,
  ReadMarks,
  SENDER_TYPES,
  type Message,
  type SenderType,
} from '../chat-protocol/shapes';

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

/** A page of a conversation's events. The schema is part of the OpenAPI document. */
export const EventPage = Type.Object({
  items: Type.Array(Type.Union(Object.values(CHAT_EVENTS)), { description: 'Oldest first.' }),
  hasMore: Type.Boolean({ description: 'Whether there are more in the direction of the page.' }),
  lastEvent: Type.Integer({ minimum: 0, description: '`event` of the last event; 0: there is none.' }),
  status: ConversationStatus,
  agent: Agent,
  read: ReadMarks,
});
export type EventPage = Static<typeof EventPage>;
