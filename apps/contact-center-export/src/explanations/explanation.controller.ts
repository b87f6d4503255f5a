import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
  type StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { contactCenterRecordTypes, plainSchema } from '@cxp/records';
import { ApiProblems, JsonBody, Signal } from '@cxp/service-kit';
import type { VersionedSchedule } from '../business-hours';
import { CONVERSATION_PROBLEMS } from '../conversation-sessions/conversation-session.dto';
import { jsonListFile } from '../json-list';
import { ConversationExplanation, ExplanationQuery } from './explanation.dto';
import { ExplanationService, parseScheduleBody } from './explanation.service';

const EXPLANATION =
  'The rows of the conversation, or those that are chosen, in the order of the list, from the records that they were made of.';

@ApiTags('Conversation sessions')
@UseGuards(new OrganizationMatchGuard('query'))
@Controller('external/conversation-sessions/:conversationId/explanation')
export class ExplanationController {
  /** A new schedule has new years: to work out all of them takes half a second. */
  private readonly supposed = new ConcurrencyLimit({ perOrganization: 1, total: 8, retryAfterSeconds: 1 });

  constructor(private readonly explanations: ExplanationService) {}

  @Get()
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiOperation({
    operationId: 'explainConversationSessions',
    summary: 'Explain the figures of one conversation',
    description:
      'Answers for each row which records and rules its session, ticket, satisfaction, anchors and metrics come from, and which ' +
      'time counts as business hours and which does not.',
  })
  @ApiParam({ name: 'conversationId', example: 'conversation-1' })
  @ApiOkResponse({ description: EXPLANATION, type: ConversationExplanation })
  @ApiProblems(CONVERSATION_PROBLEMS)
  explain(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() query: ExplanationQuery,
    @Signal() signal: AbortSignal,
  ): Promise<StreamableFile> {
    return this.answer(organizationId, conversationId, query, signal);
  }

  @Post()
  @HttpCode(200)
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @JsonBody({ jsonBytes: contactCenterRecordTypes.human_schedule.maxBytes })
  @ApiOperation({
    operationId: 'explainConversationSessionsWithSchedule',
    summary: 'Explain the figures as they would be with another schedule',
    description:
      'The same as the explanation, by the human schedule of the body. Nothing is stored. One at once for an organization.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['humanSchedule'],
      example: { humanSchedule: { weekly: [{ weekday: 1, start: '08:30', end: '17:30' }] } },
      properties: { humanSchedule: plainSchema(contactCenterRecordTypes.human_schedule.data) },
    },
  })
  @ApiParam({ name: 'conversationId', example: 'conversation-1' })
  @ApiOkResponse({ description: EXPLANATION, type: ConversationExplanation })
  @ApiProblems({
    ...CONVERSATION_PROBLEMS,
    'a wrong schedule': {
      code: 'invalid',
      items: [{ loc: ['body', 'humanSchedule', 'weekly'], msg: 'Field required', type: 'missing' }],
    },
  })
  async explainWithSchedule(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() query: ExplanationQuery,
    @Body({ transform: parseScheduleBody }) schedule: VersionedSchedule,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() signal: AbortSignal,
  ): Promise<StreamableFile> {
    this.supposed.holdUntilClosed(organizationId, reply.raw);
    return this.answer(organizationId, conversationId, query, signal, schedule);
  }

  /** Serialises row by row: a hundred rows have large lists. */
  private async answer(
    organizationId: string,
    conversationId: string,
    query: ExplanationQuery,
    signal: AbortSignal,
    schedule?: VersionedSchedule,
  ): Promise<StreamableFile> {
    const found = await this.explanations.explain(organizationId, conversationId, query, signal, schedule);
    const { rows, truncated, ...head } = found;
    return jsonListFile('rows', rows, head, { truncated });
  }
}
