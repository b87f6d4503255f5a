import { Controller, Get, Inject, Query, Req, Res, type StreamableFile, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { ChangeAnswers } from '@cxp/change-feed';
import { type ConcurrencyLimit, ThrottledBy } from '@cxp/rate-limit';
import { AtClientPace } from '@cxp/service-kit';
import { sessionFilter } from '../conversation-sessions/conversation-session.dto';
import { STREAM_LIMIT } from '../conversation-sessions/stream-limit';
import {
  ConversationSessionChangesQuery,
  ConversationSessionDigestsQuery,
} from './conversation-session-change.dto';
import {
  ApiListConversationSessionChanges,
  ApiListConversationSessionDigests,
} from './conversation-session-change.openapi';
import { ConversationSessionDigestReadModel } from '../conversation-sessions/conversation-session-digest.read-model';
import { type ChangedRow, SessionChangeFormats } from './session-change-feed';

@ApiTags('Conversation sessions')
@UseGuards(OrganizationMatchGuard)
@Controller('external')
export class ConversationSessionChangeController {
  constructor(
    @Inject(ChangeAnswers) private readonly answers: ChangeAnswers<ChangedRow>,
    private readonly formats: SessionChangeFormats,
    private readonly digests: ConversationSessionDigestReadModel,
    private readonly authenticator: Authenticator,
    @Inject(STREAM_LIMIT) private readonly streams: ConcurrencyLimit,
  ) {}

  @Get('conversation-session-changes')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ThrottledBy('CHANGES')
  @AtClientPace()
  @ApiListConversationSessionChanges()
  listChanges(
    @OrganizationId() organizationId: string,
    @Query() { timezone, ...query }: ConversationSessionChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    const { authenticator, streams } = this;
    const call = { organizationId, request, reply, authenticator, streams };
    return this.answers.changes(call, query, () => this.formats.open(organizationId, timezone));
  }

  @Get('conversation-session-digests')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ThrottledBy('CHANGES')
  @ApiListConversationSessionDigests()
  listDigests(@OrganizationId() organizationId: string, @Query() query: ConversationSessionDigestsQuery) {
    const { startsAt, endsAt } = sessionFilter(query);
    return this.digests.ofDays(organizationId, { startsAt, endsAt, timezone: query.timezone });
  }
}
