import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, type SchemaObject } from '@nestjs/swagger';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { HistoryQuery } from '../conversations/history-query';
import { CustomerEndpoint, CustomerPreflight } from '../sessions/customer-endpoint';
import { SessionToken } from '../sessions/session-token.guard';
import type { SessionTokenClaims } from '../sessions/session-token.service';
import { EventHistory } from './event-history';
import { EventPage } from './event-page';

@ApiTags('Conversations')
@Controller('external/conversations/:conversationId/events')
export class EventHistoryController {
  constructor(private readonly history: EventHistory) {}

  @Get()
  @CustomerEndpoint()
  @ApiOperation({
    operationId: 'listEvents',
    summary: "List a conversation's events",
    description:
      'Answers the last events, or those before or after an event: messages, activities, read marks, rating requests and ' +
      "ratings. The customer's client sends the `sessionToken` as bearer token. An item is the same object as the frame of the " +
      'websocket, see `/docs/asyncapi.json`. Connect with `lastEvent` to receive the events that follow.',
  })
  @ApiOkResponse({ description: 'One page.', schema: JSON.parse(JSON.stringify(EventPage)) as SchemaObject })
  async list(
    @SessionToken() { organization_id, conversation_id }: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    if (conversationId !== conversation_id) throw conversationNotFound(conversationId);
    return this.history.page(organization_id, conversation_id, query);
  }

  @CustomerPreflight()
  preflight(): void {}
}
