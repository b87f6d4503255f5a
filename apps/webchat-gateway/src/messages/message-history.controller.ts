import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { HistoryQuery } from '../conversations/history-query';
import { CustomerEndpoint, CustomerPreflight } from '../sessions/customer-endpoint';
import { SessionToken } from '../sessions/session-token.guard';
import type { SessionTokenClaims } from '../sessions/session-token.service';
import { HistoryResponse } from './message.dto';
import { MessageHistory, type HistoryPage } from './message-history';

@ApiTags('Conversations')
@Controller('external/conversations/:conversationId/messages')
export class MessageHistoryController {
  constructor(private readonly history: MessageHistory) {}

  @Get()
  @CustomerEndpoint()
  @ApiOperation({
    operationId: 'listMessages',
    summary: "List a conversation's messages",
    description:
      "Answers the last messages, or those before or after a message. The customer's client sends the `sessionToken` " +
      'as bearer token. New messages arrive over the websocket, see `/docs/asyncapi.json`.',
  })
  @ApiOkResponse({ type: HistoryResponse, description: 'One page.' })
  async list(
    @SessionToken() { organization_id, conversation_id }: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
  ): Promise<HistoryPage> {
    if (conversationId !== conversation_id) throw conversationNotFound(conversationId);
    return this.history.page(organization_id, conversation_id, query);
  }

  @CustomerPreflight()
  preflight(): void {}
}
