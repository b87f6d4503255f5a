import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { LivePublisher } from '../live/live-events';
import { ChatService, type NewActivity, type StoredMessage } from './chat.service';
import {
  ConversationIdPipe,
  PostActivityRequest,
  PostMessageRequest,
  PostReadRequest,
  PostTypingRequest,
} from './conversation.dto';
import { HistoryQuery, HistoryReadModel, type EventPage } from './history.read-model';

/** For the platform's inbox and its bots. The ingress does not route `/internal`. */
@ApiExcludeController()
@Controller('internal/conversations/:conversationId')
export class InternalConversationController {
  constructor(
    private readonly chats: ChatService,
    private readonly history: HistoryReadModel,
    private readonly live: LivePublisher,
  ) {}

  @Post('messages')
  @RequirePermission('$conversation:write')
  @HttpCode(200)
  @JsonBody()
  postMessage(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { senderName = null, ...message }: PostMessageRequest,
  ): Promise<StoredMessage> {
    return this.chats.sendMessage(organizationId, conversationId, { clientId: null, senderName, ...message });
  }

  @Post('activities')
  @RequirePermission('$conversation:write')
  @HttpCode(200)
  @JsonBody()
  postActivity(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { occurredAt = null, agent = null, ...activity }: PostActivityRequest,
  ): Promise<NewActivity> {
    return this.chats.recordActivity(organizationId, conversationId, { occurredAt, agent, ...activity });
  }

  @Post('typing')
  @RequirePermission('$conversation:write')
  @HttpCode(204)
  @JsonBody()
  postTyping(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { senderType, senderName = null, active }: PostTypingRequest,
  ): void {
    this.live.publishTyping(organizationId, conversationId, { senderType, senderName, active });
  }

  @Post('read')
  @RequirePermission('$conversation:write')
  @HttpCode(204)
  @JsonBody()
  postRead(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { upTo }: PostReadRequest,
  ): Promise<void> {
    return this.chats.markRead(organizationId, conversationId, 'agent', upTo);
  }

  @Get('events')
  @RequirePermission('$conversation:write')
  events(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    return this.history.page(organizationId, conversationId, query);
  }
}
