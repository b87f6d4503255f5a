import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import type { HumanSchedule } from '../business-hours';
import { ConversationQuery } from '../conversation-sessions/conversation-session.dto';
import { ApiExplainConversation, ApiExplainWithSchedule } from './explanation.openapi';
import type { ConversationExplanation } from './explanation.dto';
import { ExplanationService } from './explanation.service';
import { parseScheduleBody } from './schedule-body';

const BODY_LIMIT_BYTES = 128 * 1024;

@ApiTags('Conversation sessions')
@UseGuards(OrganizationMatchGuard)
@Controller('external/conversation-sessions/:conversationId/explanation')
export class ExplanationController {
  constructor(private readonly explanations: ExplanationService) {}

  @Get()
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @ApiExplainConversation()
  explain(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() { timezone }: ConversationQuery,
  ): Promise<ConversationExplanation> {
    return this.explanations.explain(organizationId, conversationId, timezone);
  }

  @Post()
  @HttpCode(200)
  @RequirePermission('$export_conversation_session:list', ['token', 'account'])
  @JsonBody(BODY_LIMIT_BYTES)
  @ApiExplainWithSchedule()
  explainWithSchedule(
    @OrganizationId() organizationId: string,
    @Param('conversationId') conversationId: string,
    @Query() { timezone }: ConversationQuery,
    @Body({ transform: parseScheduleBody }) schedule: HumanSchedule,
  ): Promise<ConversationExplanation> {
    return this.explanations.explain(organizationId, conversationId, timezone, schedule);
  }
}
