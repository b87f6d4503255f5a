import type { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import type { ConcurrencyLimit } from '@cxp/rate-limit';
import { AtClientPace, preferredMediaType } from '@cxp/service-kit';
import { ContactCenterSettings } from '../settings';
import { ApiGetConversation, ApiListConversationSessions } from './conversation-session.openapi';
import { ConversationQuery, ConversationSessionsQuery } from './conversation-session.dto';
import { ConversationSessionService, type SessionPageAnswer } from './conversation-session.service';
import { ROW_GROUP_LIMIT, STREAM_LIMIT } from './stream-limit';
import {
  csvStream,
  FILE_EXTENSIONS,
  lineStream,
  parquetStream,
  SESSION_MEDIA_TYPES,
  type SessionMediaType,
  workbookStream,
} from './session-stream-formats';

@ApiTags('Conversation sessions')
@UseGuards(OrganizationMatchGuard)
@Controller('external/conversation-sessions')
export class ConversationSessionController {
  constructor(
    private readonly sessions: ConversationSessionService,
    private readonly settings: ContactCenterSettings,
    @Inject(STREAM_LIMIT) private readonly streams: ConcurrencyLimit,
    @Inject(ROW_GROUP_LIMIT) private readonly rowGroups: ConcurrencyLimit,
  ) {}

  @Get()
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @AtClientPace()
  @ApiListConversationSessions()
  async list(
    @OrganizationId() organizationId: string,
    @Query() query: ConversationSessionsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionPageAnswer | StreamableFile> {
    void reply.header('vary', 'accept');
    const mediaType = preferredMediaType(request, SESSION_MEDIA_TYPES);
    if (mediaType === 'application/json') {
      return query.cursor
        ? this.sessions.pageAfter(organizationId, query, query.cursor)
        : this.sessions.page(organizationId, query);
    }
    this.streams.holdUntilClosed(organizationId, reply.raw);
    if (mediaType === 'application/vnd.apache.parquet') {
      this.rowGroups.holdUntilClosed(organizationId, reply.raw);
    }
    const stream = await this.open(organizationId, query, mediaType);
    const type = mediaType === 'text/csv' ? 'text/csv; charset=utf-8' : mediaType;
    const extension = FILE_EXTENSIONS[mediaType];
    const name = `conversation-sessions_${query.startDate}_${query.endDate}.${extension}`;
    return new StreamableFile(stream, {
      type,
      ...(extension && { disposition: `attachment; filename="${name}"` }),
    });
  }

  private async open(
    organizationId: string,
    query: ConversationSessionsQuery,
    mediaType: Exclude<SessionMediaType, 'application/json'>,
  ): Promise<Readable> {
    const metadata =
      mediaType === 'application/vnd.apache.parquet'
        ? await this.sessions.describe(organizationId, query)
        : undefined;
    if (mediaType === 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet') {
      await this.sessions.checkFitsSheet(organizationId, query);
    }
    const rows = await this.sessions.stream(organizationId, query);
    switch (mediaType) {
      case 'application/x-ndjson':
        return lineStream(rows);
      case 'text/csv':
        return csvStream(rows, this.settings.CONTACT_CENTER_EXPORT_FORMULA_GUARD);
      case 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet':
        return workbookStream(rows, query.timezone);
      case 'application/vnd.apache.parquet':
        return parquetStream(rows, metadata!);
    }
  }

  @Get(':conversationId')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiGetConversation()
  get(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() { timezone }: ConversationQuery,
  ) {
    return this.sessions.ofConversation(organizationId, conversationId, timezone);
  }
}
