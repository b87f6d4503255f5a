import { Controller, Get, Param, Query, Req, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { liftDeadline, preferredMediaType } from '@cxp/service-kit';
import { ApiGetConversation, ApiListConversationSessions } from './conversation-session.openapi';
import { ConversationQuery, ConversationSessionsQuery } from './conversation-session.query';
import { ConversationSessionService } from './conversation-session.service';
import { OrganizationMatchInterceptor } from './organization-match.interceptor';
import { csvStream, ndjsonStream, SESSION_MEDIA_TYPES } from './session-stream-formats';

@ApiTags('Conversation sessions')
@UseInterceptors(OrganizationMatchInterceptor)
@Controller('external/conversation-sessions')
export class ConversationSessionController {
  constructor(private readonly sessions: ConversationSessionService) {}

  @Get()
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiListConversationSessions()
  async list(
    @OrganizationId() organizationId: string,
    @Query() query: ConversationSessionsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | StreamableFile> {
    void reply.header('vary', 'accept');
    const mediaType = preferredMediaType(request, SESSION_MEDIA_TYPES);
    if (mediaType === 'application/json') {
      void reply.type(JSON_TYPE);
      return this.sessions.page(organizationId, query);
    }
    const rows = await this.sessions.stream(organizationId, query);
    liftDeadline(request);
    return mediaType === 'text/csv'
      ? new StreamableFile(csvStream(rows), { type: 'text/csv; charset=utf-8' })
      : new StreamableFile(ndjsonStream(rows), { type: 'application/x-ndjson' });
  }

  @Get(':conversationId')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiGetConversation()
  async get(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() { timezone }: ConversationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply.type(JSON_TYPE);
    return this.sessions.ofConversation(organizationId, conversationId, timezone);
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';
