import { Injectable, type PipeTransform } from '@nestjs/common';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { ProblemError } from '@cxp/error-envelopes';
import { VISIBLE_TEXT } from '@cxp/identifiers';
import { isInstant } from '@cxp/records';
import { CodePoints, NestedObject } from '@cxp/service-kit';
import { MAX_MESSAGE_CHARACTERS, SENDER_TYPES, type SenderType } from '../chat-protocol/shapes';

const PLATFORM_SENDERS = SENDER_TYPES.filter((type) => type !== 'customer');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id that cannot exist is a 404, not a 422. */
@Injectable()
export class ConversationIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw conversationNotFound(id);
    return id.toLowerCase();
  }
}

export function conversationNotFound(id: string): ProblemError {
  return new ProblemError({ code: 'resource_not_found', model: 'Conversation', id });
}

class PlatformSender {
  @IsIn(PLATFORM_SENDERS, { message: `$property must be one of: ${PLATFORM_SENDERS.join(', ')}` })
  senderType: SenderType;

  /** Shown to the customer. */
  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  senderName?: string | null;
}

export class PostMessageRequest extends PlatformSender {
  /** Unique in the organization; sending it again changes nothing. */
  @CodePoints(1, 255)
  @IsNotEmpty()
  @IsString()
  id: string;

  @CodePoints(1, MAX_MESSAGE_CHARACTERS)
  @Matches(VISIBLE_TEXT, { message: '$property must not be blank' })
  @IsString()
  text: string;
}

export class PostTypingRequest extends PlatformSender {
  @IsIn([true, false], { message: '$property must be a boolean value' })
  active: boolean;
}

export class PostReadRequest {
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  upTo: number;
}

export class ActivityAgentRequest {
  @IsOptional()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(Number.MIN_SAFE_INTEGER)
  @IsInt()
  accountId?: number | null;

  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  email?: string | null;

  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  name?: string | null;

  @IsOptional()
  @IsBoolean()
  isServiceAccount?: boolean | null;
}

export class PostActivityRequest {
  @CodePoints(1, 255)
  @IsNotEmpty()
  @IsString()
  id: string;

  @CodePoints(1, 100)
  @IsNotEmpty()
  @IsString()
  action: string;

  /** ISO 8601 with an offset; defaults to now. */
  @IsOptional()
  @ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value) => typeof value === 'string' && isInstant(value),
      defaultMessage: () => '$property must be a date-time with an offset (2026-01-05T02:11:09.000Z)',
    },
  })
  occurredAt?: string | null;

  @IsOptional()
  @NestedObject(() => ActivityAgentRequest)
  agent?: ActivityAgentRequest | null;
}
