import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ConversationIdPipe } from '../conversations/conversation-id.pipe';
import type { EventPage, MessagePage } from './history-page';
import { HistoryQuery } from './history-query';
import { HistoryReadModel } from './history.read-model';

/** The history of a conversation for the platform's inbox. The ingress does not route `/internal`. */
@ApiExcludeController()
@RequirePermission('$conversation:write')
@Controller('internal/conversations/:conversationId')
export class InternalHistoryController {
  constructor(private readonly history: HistoryReadModel) {}

  @Get('messages')
  messages(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<MessagePage> {
    return this.history.messages(organizationId, conversationId, query);
  }

  @Get('events')
  events(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    return this.history.events(organizationId, conversationId, query);
  }
}
