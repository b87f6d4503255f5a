import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import type { Message } from '../chat-protocol/shapes';
import { ConversationIdPipe } from '../conversations/conversation-id.pipe';
import { ConversationRepository } from '../conversations/conversation.repository';
import { LivePublisher } from '../live/live-publisher';
import { PostMessageRequest, PostReadRequest, PostTypingRequest } from './message.dto';
import { MessageService } from './message.service';

const BODY_LIMIT_BYTES = 64 * 1024;

/** How the platform's inbox and its bots take part in conversations. The ingress does not route `/internal`. */
@ApiExcludeController()
@RequirePermission('$conversation:write')
@Controller('internal/conversations/:conversationId')
export class InternalMessageController {
  constructor(
    private readonly messages: MessageService,
    private readonly conversations: ConversationRepository,
    private readonly live: LivePublisher,
  ) {}

  @Post('messages')
  @HttpCode(200)
  @JsonBody(BODY_LIMIT_BYTES)
  post(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { id, senderType, senderName, text }: PostMessageRequest,
  ): Promise<Message> {
    return this.messages.send(organizationId, conversationId, {
      id,
      clientId: null,
      senderType,
      senderName: senderName ?? null,
      text,
    });
  }

  @Post('typing')
  @HttpCode(204)
  @JsonBody(BODY_LIMIT_BYTES)
  typing(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { senderType, senderName, active }: PostTypingRequest,
  ): void {
    this.live.publishTyping(organizationId, conversationId, {
      senderType,
      senderName: senderName ?? null,
      active,
    });
  }

  @Post('read')
  @HttpCode(204)
  @JsonBody(BODY_LIMIT_BYTES)
  async read(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { sequence }: PostReadRequest,
  ): Promise<void> {
    const event = await this.conversations.markRead(organizationId, conversationId, 'agent', sequence);
    this.live.publishEvent(organizationId, conversationId, event);
  }
}
