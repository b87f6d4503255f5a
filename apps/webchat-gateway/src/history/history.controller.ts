import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, type SchemaObject } from '@nestjs/swagger';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { EventPage, HistoryQuery, HistoryReadModel } from '../conversations/history.read-model';
import { CustomerEndpoint, CustomerPreflight } from '../sessions/customer-endpoint';
import { SessionToken } from '../sessions/session-token.guard';
import type { SessionTokenClaims } from '../sessions/session-token.service';

@ApiTags('Conversations')
@Controller('external/conversations/:conversationId')
export class HistoryController {
  constructor(private readonly history: HistoryReadModel) {}

  @Get('events')
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
  events(
    @SessionToken() session: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    return this.history.page(session.organization_id, ownConversation(session, conversationId), query);
  }

  @CustomerPreflight('events')
  eventsPreflight(): void {}
}

/** @throws ProblemError 404 for a conversation that is not the session's */
function ownConversation({ conversation_id }: SessionTokenClaims, conversationId: string): string {
  if (conversationId !== conversation_id) throw conversationNotFound(conversationId);
  return conversationId;
}
