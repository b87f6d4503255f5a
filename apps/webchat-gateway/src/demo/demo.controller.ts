import { randomUUID } from 'node:crypto';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { ActivityService } from '../activities/activity.service';
import { ConversationSignals } from '../conversations/conversation-signals';
import { MessageService } from '../messages/message.service';
import type { CreateSessionResponse, RefreshSessionResponse } from '../sessions/session.dto';
import { SessionService } from '../sessions/session.service';
import { WebchatSettings } from '../settings';
import {
  DemoActivityRequest,
  DemoMessageRequest,
  DemoRefreshRequest,
  DemoSessionRequest,
  DemoTypingRequest,
} from './demo.dto';

const BODY_LIMIT_BYTES = 64 * 1_024;

/** Who answers in the demo. */
const AGENT = { accountId: 1, name: 'Ann', email: 'ann@example.com' };

/**
 * What a customer's backend and the platform's inbox do with their API tokens, done here for the demo organization: the
 * page never sees a token but the session's.
 */
@ApiExcludeController()
@Public()
@Controller('demo')
export class DemoController {
  private readonly organizationId: string;

  constructor(
    settings: WebchatSettings,
    private readonly sessions: SessionService,
    private readonly messages: MessageService,
    private readonly activities: ActivityService,
    private readonly signals: ConversationSignals,
  ) {
    this.organizationId = settings.WEBCHAT_DEMO_ORGANIZATION!;
  }

  @Post('session')
  @JsonBody(BODY_LIMIT_BYTES)
  create(@Body() { userId }: DemoSessionRequest): Promise<CreateSessionResponse> {
    return this.sessions.create(this.organizationId, { id: userId, name: 'Demo customer' });
  }

  @Post('session/refresh')
  @JsonBody(BODY_LIMIT_BYTES)
  refresh(@Body() { sessionId }: DemoRefreshRequest): Promise<RefreshSessionResponse> {
    return this.sessions.refresh(this.organizationId, sessionId);
  }

  @Post('agent/message')
  @HttpCode(204)
  @JsonBody(BODY_LIMIT_BYTES)
  async message(@Body() { conversationId, text }: DemoMessageRequest): Promise<void> {
    const { sequence } = await this.messages.send(this.organizationId, conversationId, {
      clientId: null,
      senderType: 'agent',
      senderName: AGENT.name,
      text,
    });
    await this.signals.read(this.organizationId, conversationId, 'agent', sequence);
  }

  @Post('agent/typing')
  @HttpCode(204)
  @JsonBody(BODY_LIMIT_BYTES)
  typing(@Body() { conversationId, active }: DemoTypingRequest): void {
    this.signals.typing(this.organizationId, conversationId, {
      senderType: 'agent',
      senderName: AGENT.name,
      active,
    });
  }

  @Post('agent/activity')
  @HttpCode(204)
  @JsonBody(BODY_LIMIT_BYTES)
  async activity(@Body() { conversationId, action }: DemoActivityRequest): Promise<void> {
    await this.activities.record(this.organizationId, conversationId, {
      id: randomUUID(),
      action,
      occurredAt: null,
      agent: AGENT,
    });
  }
}
