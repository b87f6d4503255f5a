import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { ConversationIdPipe } from '../conversations/conversation-id.pipe';
import { LivePublisher } from '../live/live-publisher';
import type { Activity } from './activity';
import { PostActivityRequest } from './activity.dto';
import { ActivityRepository } from './activity.repository';

const BODY_LIMIT_BYTES = 64 * 1024;

/** How the platform tells what happens to a conversation. The ingress does not route `/internal`. */
@ApiExcludeController()
@RequirePermission('$conversation:write')
@Controller('internal/conversations/:conversationId/activities')
export class ActivityController {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly live: LivePublisher,
  ) {}

  @Post()
  @HttpCode(200)
  @JsonBody(BODY_LIMIT_BYTES)
  async post(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { id, action, occurredAt, agent }: PostActivityRequest,
  ): Promise<Activity> {
    const recorded = await this.activities.record(organizationId, conversationId, {
      id,
      action,
      occurredAt: occurredAt ?? null,
      agent: agent ?? null,
    });
    for (const event of recorded.events) this.live.publishEvent(organizationId, conversationId, event);
    return recorded.activity;
  }
}
