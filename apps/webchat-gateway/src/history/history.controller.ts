import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, type SchemaObject } from '@nestjs/swagger';
import type { TSchema } from '@sinclair/typebox';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { CustomerEndpoint, CustomerPreflight } from '../sessions/customer-endpoint';
import { SessionToken } from '../sessions/session-token.guard';
import type { SessionTokenClaims } from '../sessions/session-token.service';
import { EventPage, MessagePage } from './history-page';
import { HistoryQuery } from './history-query';
import { HistoryReadModel } from './history.read-model';

@ApiTags('Conversations')
@Controller('external/conversations/:conversationId')
export class HistoryController {
  constructor(private readonly history: HistoryReadModel) {}

  @Get('messages')
  @CustomerEndpoint()
  @ApiOperation({
    operationId: 'listMessages',
    summary: "List a conversation's messages",
    description:
      "Answers the last messages, or those before or after a message. The customer's client sends the `sessionToken` " +
      'as bearer token. New messages arrive over the websocket, see `/docs/asyncapi.json`.',
  })
  @ApiPage(MessagePage)
  messages(
    @SessionToken() session: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<MessagePage> {
    return this.history.messages(session.organization_id, ownConversation(session, conversationId), query);
  }

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
  @ApiPage(EventPage)
  events(
    @SessionToken() session: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<EventPage> {
    return this.history.events(session.organization_id, ownConversation(session, conversationId), query);
  }

  @CustomerPreflight('messages')
  messagesPreflight(): void {}

  @CustomerPreflight('events')
  eventsPreflight(): void {}
}

function ApiPage(schema: TSchema): MethodDecorator {
  return ApiOkResponse({
    description: 'One page.',
    schema: JSON.parse(JSON.stringify(schema)) as SchemaObject,
  });
}

/** @throws ProblemError 404 for a conversation that is not the session's */
function ownConversation({ conversation_id }: SessionTokenClaims, conversationId: string): string {
  if (conversationId !== conversation_id) throw conversationNotFound(conversationId);
  return conversationId;
}
