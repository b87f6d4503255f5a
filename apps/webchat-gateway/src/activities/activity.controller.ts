import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { ConversationIdPipe } from '../conversations/conversation-id.pipe';
import type { Activity } from './activity';
import { PostActivityRequest } from './activity.dto';
import { ActivityService } from './activity.service';

const BODY_LIMIT_BYTES = 64 * 1024;

/** How the platform tells what happens to a conversation. The ingress does not route `/internal`. */
@ApiExcludeController()
@RequirePermission('$conversation:write')
@Controller('internal/conversations/:conversationId/activities')
export class ActivityController {
  constructor(private readonly activities: ActivityService) {}

  @Post()
  @HttpCode(200)
  @JsonBody(BODY_LIMIT_BYTES)
  post(
    @OrganizationId() organizationId: string,
    @Param('conversationId', ConversationIdPipe) conversationId: string,
    @Body() { id, action, occurredAt, agent }: PostActivityRequest,
  ): Promise<Activity> {
    return this.activities.record(organizationId, conversationId, {
      id,
      action,
      occurredAt: occurredAt ?? null,
      agent: agent ?? null,
    });
  }
}
