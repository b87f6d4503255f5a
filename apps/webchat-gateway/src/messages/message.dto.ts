import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { CodePoints } from '@cxp/service-kit';
import { MAX_MESSAGE_CHARACTERS, SENDER_TYPES, type SenderType } from '../chat-protocol/shapes';

/** Who may write through the internal API: customers write over their sockets. */
const PLATFORM_SENDERS = SENDER_TYPES.filter((type) => type !== 'customer');

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
