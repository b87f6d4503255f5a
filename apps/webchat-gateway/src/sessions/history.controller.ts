import { Controller, Get, Header, HttpCode, Options, Param, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  type SchemaObject,
} from '@nestjs/swagger';
import { CheckedBy, Public } from '@cxp/auth-headers';
import { ApiProblems, type DescribedProblems, Signal } from '@cxp/service-kit';
import { conversationNotFound } from '../conversations/conversation.dto';
import { EventPage, HistoryQuery, HistoryReadModel, PAGE_BYTES } from '../conversations/history.read-model';
import { ANY_ORIGIN, OwnSession, SessionTokenGuard } from './session-token.guard';
import type { SessionOfToken } from './session.service';

const PROBLEMS: DescribedProblems = {
  'the session token is missing or not valid, or the session has ended': {
    code: 'unauthenticated',
    reason: 'expired_token',
  },
  "the conversation is not the session's": { code: 'resource_not_found', model: 'Conversation', id: '' },
  'invalid parameters': {
    code: 'invalid',
    items: [{ loc: [], msg: 'limit must not be greater than 100', type: '' }],
  },
  'rate limit exceeded': { code: 'rate_limited', limit: '', retryAfterSeconds: 1 },
};

/** Endpoints for a customer's client, which sends only its session token. */
@ApiTags('Conversations')
@Controller('external/conversations/:conversationId')
export class HistoryController {
  constructor(private readonly history: HistoryReadModel) {}

  @Get('events')
  @CheckedBy(SessionTokenGuard)
  @Header('cache-control', 'no-store')
  @ApiBearerAuth('sessionToken')
  @ApiParam({
    name: 'conversationId',
    example: '5b6f2a0e-3a59-4a8e-8d0a-2f0a4a1a9a77',
    description: "`conversationId` of the token's session.",
  })
  @ApiProblems(PROBLEMS)
  @ApiOperation({
    operationId: 'listEvents',
    summary: "List a conversation's events",
    description:
      'Answers the last events, or those before or after an event: messages, activities, read marks, rating requests and ' +
      `ratings. A page ends early, with \`hasMore\`, at about ${PAGE_BYTES / 1_024} KiB. ` +
      "The customer's client sends the `sessionToken` as bearer token. An item is the same object as the frame of the " +
      'websocket, see `/docs/asyncapi.json`. Connect with `lastEvent` to receive the events that follow.',
  })
  @ApiOkResponse({ description: 'One page.', schema: JSON.parse(JSON.stringify(EventPage)) as SchemaObject })
  events(
    @OwnSession() session: SessionOfToken,
    @Param('conversationId') conversationId: string,
    @Query() query: HistoryQuery,
    @Signal() signal: AbortSignal,
  ): Promise<EventPage> {
    if (conversationId !== session.conversationId) throw conversationNotFound(conversationId);
    const { organizationId } = session;
    return this.history.page(organizationId, conversationId, query, signal);
  }

  /** Answers CORS preflight requests. */
  @Options('events')
  @Public()
  @HttpCode(204)
  @Header(...ANY_ORIGIN)
  @Header('access-control-allow-headers', 'authorization')
  @Header('access-control-max-age', '86400')
  @ApiExcludeEndpoint()
  eventsPreflight(): void {}
}
