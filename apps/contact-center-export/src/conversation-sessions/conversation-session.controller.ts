import type { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, preferredMediaType, Signal } from '@cxp/service-kit';
import { MAX_CELL_CHARACTERS } from '@cxp/spreadsheet';
import { jsonListFile } from '../json-list';
import { ContactCenterSettings } from '../settings';
import {
  CONVERSATION_PROBLEMS,
  ConversationQuery,
  ConversationSessionPageResponse,
  ConversationSessionsQuery,
  ConversationSessionsResponse,
  WINDOW_PROBLEMS,
} from './conversation-session.dto';
import {
  ConversationSessionService,
  MAX_WORKBOOK_ROWS,
  type SessionPageAnswer,
} from './conversation-session.service';
import {
  csvStream,
  FILE_EXTENSIONS,
  lineStream,
  parquetStream,
  SESSION_MEDIA_TYPES,
  type SessionMediaType,
  StreamLimits,
  workbookStream,
} from './session-stream-formats';

@ApiTags('Conversation sessions')
@UseGuards(new OrganizationMatchGuard('query'))
@Controller('external/conversation-sessions')
export class ConversationSessionController {
  constructor(
    private readonly sessions: ConversationSessionService,
    private readonly settings: ContactCenterSettings,
    private readonly limits: StreamLimits,
  ) {}

  @Get()
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiOperation({
    summary: 'List conversation sessions',
    description:
      'Answers the rows of conversations whose updatedAt is in the window, ordered by updatedAt, conversationId, sessionIndex ' +
      '(ticket-only rows last) and ticketId. With `Accept: application/x-ndjson`, `text/csv`, or that of a workbook or of Parquet, one request streams every row ' +
      'of the window in the same order; lines of NDJSON and CSV have a `cursor`. `cursor=` continues exactly after that row, in pages (with ' +
      '`nextCursor`) and in streams. A row can change without moving to the end of the window: to keep a copy, use ' +
      '`/external/conversation-session-changes`.',
  })
  @ApiExtraModels(ConversationSessionPageResponse)
  @ApiOkResponse({
    description: 'One page, or, by `Accept`, the whole window.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ConversationSessionPageResponse) } },
      'application/x-ndjson': {
        schema: {
          type: 'string',
          description:
            'One ConversationSession a line, with `cursor`; with `profile=copy` also with `conversationUpdatedAt`, and so all that its digest ' +
            'is computed from.',
        },
      },
      'text/csv': {
        schema: {
          type: 'string',
          description: 'UTF-8 with a byte order mark, and a header; customFields as JSON.',
        },
      },
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'A workbook with a bold heading that filters, without cursors. Times are dates on the clocks of `timezone`, numbers ' +
            `are numbers, customFields are JSON. More than ${MAX_WORKBOOK_ROWS.toLocaleString('en')} rows are a 422 of type ` +
            `\`too_large\`. A text of more than ${MAX_CELL_CHARACTERS.toLocaleString('en')} characters is cut, and its cell says so.`,
        },
      },
      'application/vnd.apache.parquet': {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'Apache Parquet: a column for each field (times as TIMESTAMP in UTC, integers as INT64, customFields as JSON), and ' +
            'conversationUpdatedAt, which the digest of a row covers. Key-value metadata: `window`; for a window without filters also ' +
            '`change` and `digests`, as the digests of the window were when the file began.',
        },
      },
    },
    headers: {
      'content-disposition': {
        description: 'The name of the file; not for JSON and NDJSON',
        schema: { type: 'string' },
      },
    },
  })
  @ApiProblems(WINDOW_PROBLEMS)
  async list(
    @OrganizationId() organizationId: string,
    @Query() query: ConversationSessionsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() signal: AbortSignal,
  ): Promise<SessionPageAnswer | StreamableFile> {
    void reply.header('vary', 'accept');
    const mediaType = preferredMediaType(request, SESSION_MEDIA_TYPES);
    if (mediaType === 'application/json') return this.sessions.page(organizationId, query, signal);
    this.limits.streams.holdUntilClosed(organizationId, reply.raw);
    if (mediaType === 'application/vnd.apache.parquet') {
      this.limits.rowGroups.holdUntilClosed(organizationId, reply.raw);
    }
    const stream = await this.open(organizationId, query, mediaType, signal);
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
    signal: AbortSignal,
  ): Promise<Readable> {
    const metadata =
      mediaType === 'application/vnd.apache.parquet'
        ? await this.sessions.describe(organizationId, query)
        : undefined;
    if (mediaType === 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet') {
      await this.sessions.checkFitsSheet(organizationId, query);
    }
    const rows = await this.sessions.stream(organizationId, query, signal);
    switch (mediaType) {
      case 'application/x-ndjson':
      case 'application/x-ndjson; profile=copy':
        return lineStream(rows, mediaType.endsWith('copy'));
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
  @ApiOperation({
    operationId: 'getConversationSessions',
    summary: 'Get the session rows of one conversation',
    description: 'Every row of the conversation, in the order of the list.',
  })
  @ApiParam({ name: 'conversationId', example: 'conversation-1' })
  @ApiOkResponse({ type: ConversationSessionsResponse, description: 'All rows of the conversation.' })
  @ApiProblems(CONVERSATION_PROBLEMS)
  async get(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() { timezone }: ConversationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() signal: AbortSignal,
  ): Promise<StreamableFile> {
    const { isWhole, reads } = await this.sessions.ofConversation(
      organizationId,
      conversationId,
      timezone,
      signal,
    );
    if (!isWhole) this.limits.streams.holdUntilClosed(organizationId, reply.raw); // Most are whole after one read.
    return jsonListFile('items', reads);
  }
}
