import { IsBoolean, IsIn, IsString, IsUUID, Matches } from 'class-validator';
import { CodePoints } from '@cxp/service-kit';
import { MESSAGE_TEXT_LENGTH } from '../messages/message';

export class DemoSessionRequest {
  @CodePoints(1, 255)
  @IsString()
  userId: string;
}

export class DemoRefreshRequest {
  @IsString()
  sessionId: string;
}

class DemoConversationRequest {
  @IsUUID()
  conversationId: string;
}

export class DemoMessageRequest extends DemoConversationRequest {
  @CodePoints(1, MESSAGE_TEXT_LENGTH)
  @Matches(/\S/)
  @IsString()
  text: string;
}

export class DemoTypingRequest extends DemoConversationRequest {
  @IsBoolean()
  active: boolean;
}

export class DemoActivityRequest extends DemoConversationRequest {
  @IsIn(['assign', 'end_conversation'])
  action: string;
}
