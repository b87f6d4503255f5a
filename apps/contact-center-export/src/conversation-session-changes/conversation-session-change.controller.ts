import { Controller, Get, Inject, Query, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, RequirePermission } from '@cxp/auth-headers';
import type { ConcurrencyLimit } from '@cxp/rate-limit';
import { answerInPieces, liftDeadline, pauseDeadline, preferredMediaType } from '@cxp/service-kit';
import { OrganizationMatchGuard } from '../conversation-sessions/organization-match.guard';
import { sessionFilter } from '../conversation-sessions/session-filter';
import { STREAM_LIMIT } from '../conversation-sessions/stream-limit';
import { lineStream } from '../conversation-sessions/session-stream-formats';
import {
  ConversationSessionChangesQuery,
  ConversationSessionDigestsQuery,
} from './conversation-session-change.dto';
import {
  ApiListConversationSessionChanges,
  ApiListConversationSessionDigests,
} from './conversation-session-change.openapi';
import { ConversationSessionChangeService } from './conversation-session-change.service';

const MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const;

@ApiTags('Conversation sessions')
@UseGuards(OrganizationMatchGuard)
@Controller('external')
export class ConversationSessionChangeController {
  constructor(
    private readonly changes: ConversationSessionChangeService,
    private readonly authenticator: Authenticator,
    @Inject(STREAM_LIMIT) private readonly streams: ConcurrencyLimit,
  ) {}

  @Get('conversation-session-changes')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiListConversationSessionChanges()
  async listChanges(
    @OrganizationId() organizationId: string,
    @Query() { cursor, limit, wait, timezone }: ConversationSessionChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    void reply.header('vary', 'accept');
    if (preferredMediaType(request, MEDIA_TYPES) === 'application/x-ndjson') {
      this.streams.holdUntilClosed(organizationId, reply.raw);
      const lines = await this.changes.stream(organizationId, timezone, cursor);
      liftDeadline(request);
      return new StreamableFile(lineStream(lines), { type: 'application/x-ndjson' });
    }
    const client = new AbortController();
    reply.raw.once('close', () => client.abort());
    const pieces = this.changes.page(organizationId, timezone, {
      cursor,
      limit,
      waitMs: wait * 1_000,
      signal: client.signal,
      whileWaiting: (waiting) => pauseDeadline(request, waiting),
      confirmAccess: () => this.authenticator.confirmAccess(request),
    });
    return answerInPieces(pieces, request, reply);
  }

  @Get('conversation-session-digests')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiListConversationSessionDigests()
  async listDigests(
    @OrganizationId() organizationId: string,
    @Query() query: ConversationSessionDigestsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    const { startsAt, endsAt } = sessionFilter(query);
    const pieces = this.changes.digests(organizationId, { startsAt, endsAt, timezone: query.timezone });
    return answerInPieces(pieces, request, reply);
  }
}
