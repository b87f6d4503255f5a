import { Controller, Get, Header, HttpCode, Options, Param, Query } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { CheckedBy, Public } from '@cxp/auth-headers';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { SessionToken, SessionTokenGuard } from '../sessions/session-token.guard';
import type { SessionTokenClaims } from '../sessions/session-token.service';
import { HistoryQuery } from './message.dto';
import { MessageHistory, type HistoryPage } from './message-history';
import { ApiMessageHistory } from './message-history.openapi';

/** Customers' browsers call it from the pages of any site: the token in the header is all that counts, there are no cookies. */
const ANY_ORIGIN = ['access-control-allow-origin', '*'] as const;

@ApiTags('Conversations')
@Controller('external/conversations/:conversationId/messages')
export class MessageHistoryController {
  constructor(private readonly history: MessageHistory) {}

  @Get()
  @CheckedBy(SessionTokenGuard)
  @Header('cache-control', 'no-store')
  @Header(...ANY_ORIGIN)
  @ApiMessageHistory()
  async list(
    @SessionToken() { organization_id, conversation_id }: SessionTokenClaims,
    @Param('conversationId') conversationId: string,
    @Query() window: HistoryQuery,
  ): Promise<HistoryPage> {
    if (conversationId !== conversation_id) throw conversationNotFound(conversationId);
    return this.history.page(organization_id, conversation_id, window);
  }

  @Options()
  @Public()
  @HttpCode(204)
  @Header(...ANY_ORIGIN)
  @Header('access-control-allow-headers', 'authorization')
  @Header('access-control-max-age', '86400')
  @ApiExcludeEndpoint()
  preflight(): void {}
}
