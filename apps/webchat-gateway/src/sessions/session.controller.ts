import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { ApiCreateSession, ApiRefreshSession } from './session.openapi';
import {
  CreateSessionRequest,
  RefreshSessionRequest,
  type CreateSessionResponse,
  type RefreshSessionResponse,
} from './session.dto';
import { SessionService } from './session.service';

const BODY_LIMIT_BYTES = 64 * 1024;

@ApiTags('Webchat sessions')
@Controller('external/sessions')
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  @Post()
  @RequirePermission('$webchat_session:create')
  @UseGuards(OrganizationMatchGuard)
  @JsonBody(BODY_LIMIT_BYTES)
  @Header('cache-control', 'no-store')
  @ApiCreateSession()
  create(
    @OrganizationId() organizationId: string,
    @Body() body: CreateSessionRequest,
  ): Promise<CreateSessionResponse> {
    return this.sessions.create(organizationId, body);
  }

  @Post('refresh')
  @HttpCode(200)
  @RequirePermission('$webchat_session:refresh')
  @JsonBody(BODY_LIMIT_BYTES)
  @Header('cache-control', 'no-store')
  @ApiRefreshSession()
  refresh(
    @OrganizationId() organizationId: string,
    @Body() { sessionId }: RefreshSessionRequest,
  ): Promise<RefreshSessionResponse> {
    return this.sessions.refresh(organizationId, sessionId);
  }
}
