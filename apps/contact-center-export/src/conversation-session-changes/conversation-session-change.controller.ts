import { Controller, Get, Inject, Query, Req, Res, type StreamableFile, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { ChangeAnswers, CURSOR_PROBLEMS } from '@cxp/change-feed';
import { ThrottledBy } from '@cxp/rate-limit';
import { ApiProblems } from '@cxp/service-kit';
import {
  sessionFilter,
  SHARED_PROBLEMS,
  WINDOW_PROBLEMS,
} from '../conversation-sessions/conversation-session.dto';
import { StreamLimits } from '../conversation-sessions/session-stream-formats';
import {
  ConversationSessionChangePageResponse,
  ConversationSessionChangesQuery,
  ConversationSessionDigestsQuery,
  ConversationSessionDigestsResponse,
} from './conversation-session-change.dto';
import { ConversationSessionDigestReadModel } from '../conversation-sessions/conversation-session-digest.read-model';
import { type ChangedRow, SessionChangeFormats } from './session-change-feed';

@ApiTags('Conversation sessions')
@UseGuards(new OrganizationMatchGuard('query'))
@Controller('external')
export class ConversationSessionChangeController {
  constructor(
    @Inject(ChangeAnswers) private readonly answers: ChangeAnswers<ChangedRow>,
    private readonly formats: SessionChangeFormats,
    private readonly digests: ConversationSessionDigestReadModel,
    private readonly authenticator: Authenticator,
    private readonly limits: StreamLimits,
  ) {}

  @Get('conversation-session-changes')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ThrottledBy('CHANGES')
  @ApiOperation({
    operationId: 'listConversationSessionChanges',
    summary: 'List changes of conversation sessions',
    description:
      'Every change of a row since the cursor, in the order of commits: `upsert` for a row that appeared or changed, `delete` for ' +
      'a row that disappeared, with the reason, `resync` if all rows have to be read again. Only the last change of each row is listed. Apply ' +
      'the items in order, store `nextCursor` with them, and continue with it: if `hasMore` is false, the copy holds exactly ' +
      'the rows that the list of conversation sessions holds at that moment. Ignore a `delete` of a row that the copy does not hold. ' +
      'After a `resync` start again without a cursor; after a 410 too, or compare digests and go on from their `cursor`. `Accept: application/x-ndjson` streams all changes, each with a ' +
      '`cursor`, and then a line with `op` `end`, `change` and `cursor`; `limit` and `wait` do not apply.',
  })
  @ApiExtraModels(ConversationSessionChangePageResponse)
  @ApiOkResponse({
    description: 'One page, or, by `Accept`, all changes after the cursor.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ConversationSessionChangePageResponse) } },
      'application/x-ndjson': {
        schema: {
          type: 'string',
          description:
            'One item per line, with its `cursor`; at last `{"op": "end", "change": …, "cursor": …}`.',
        },
      },
    },
  })
  @ApiProblems({ ...SHARED_PROBLEMS, ...CURSOR_PROBLEMS })
  listChanges(
    @OrganizationId() organizationId: string,
    @Query() { timezone, ...query }: ConversationSessionChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    const {
      authenticator,
      limits: { streams },
    } = this;
    const call = { organizationId, request, reply, authenticator, streams };
    return this.answers.changes(call, query, () => this.formats.open(organizationId, timezone));
  }

  @Get('conversation-session-digests')
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ThrottledBy('CHANGES')
  @ApiOperation({
    operationId: 'listConversationSessionDigests',
    summary: 'List digests of conversation sessions by day',
    description:
      'For each day of the window that holds rows, by conversation updatedAt in the timezone: how many rows, and the XOR of their ' +
      'digests. A copy that was read up to `change` is right if its own rows give the same. After a 410 of the changes, read the days that ' +
      'differ, remove what they no longer have, and go on from `cursor`; with another `X-Human-Schedule` than that of the copy, start again without a cursor.',
  })
  @ApiOkResponse({
    type: ConversationSessionDigestsResponse,
    description: 'The digests of one snapshot.',
    headers: {
      'x-human-schedule': {
        description:
          'Changes with the human schedule; absent if there is none. Digests leave business hours out: if your copy was read with another value, its ' +
          'business hours may be wrong.',
        schema: { type: 'string' },
      },
    },
  })
  @ApiProblems(WINDOW_PROBLEMS)
  async listDigests(
    @OrganizationId() organizationId: string,
    @Query() query: ConversationSessionDigestsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConversationSessionDigestsResponse> {
    const { startsAt, endsAt } = sessionFilter(query);
    const window = { startsAt, endsAt, timezone: query.timezone };
    const { schedule, ...digests } = await this.answers.digests(organizationId, () =>
      this.digests.ofDays(organizationId, window),
    );
    if (schedule !== null) void reply.header('x-human-schedule', schedule);
    return digests;
  }
}
