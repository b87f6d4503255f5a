import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ConversationIdPipe } from '../conversations/conversation-id.pipe';
import { HistoryQuery } from '../conversations/history-query';
import { EventHistory } from './event-history';
import type { EventPage } from './event-page';

/** The events of a conversation for the platform's inbox. The ingress does not route `/internal`. */
@ApiExcludeController()
@RequirePermission('$conversation:write')
@Controller('internal/conversations/:conversationId/events')
export class InternalEventController {
  constructor(private readonly history: EventHistory) {}

  @Get()
  list(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    return this.history.page(organizationId, conversationId, query);
  }
}
