import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OrganizationId, OrganizationMatchGuard, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, JsonBody } from '@cxp/service-kit';
import {
  CreateSessionRequest,
  CreateSessionResponse,
  RefreshSessionRequest,
  RefreshSessionResponse,
} from './session.dto';
import { SessionService } from './session.service';

const BODY_LIMITS = { maxValues: 200 };

const INVALID = {
  code: 'invalid',
  items: [
    { loc: [], msg: 'organizationId must not be empty', type: '' },
    { loc: [], msg: 'organizationId must be a string', type: '' },
  ],
} as const;

@ApiTags('Webchat sessions')
@Controller('external/sessions')
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  @Post()
  @RequirePermission('$webchat_session:create')
  @UseGuards(new OrganizationMatchGuard('body'))
  @JsonBody(BODY_LIMITS)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Create a webchat session',
    description:
      "Reuses the user's session that has not expired (matched by `user.id`, then phone, then email); else opens one " +
      'over the earlier conversation of the same `user.id`; else over a new conversation.',
  })
  @ApiBody({ type: CreateSessionRequest })
  @ApiCreatedResponse({ type: CreateSessionResponse, description: 'The session, created or reused.' })
  @ApiProblems({ 'missing or invalid fields': INVALID })
  create(
    @OrganizationId() organizationId: string,
    @Body() body: CreateSessionRequest,
  ): Promise<CreateSessionResponse> {
    return this.sessions.create(organizationId, body);
  }

  @Post('refresh')
  @HttpCode(200)
  @RequirePermission('$webchat_session:refresh')
  @JsonBody(BODY_LIMITS)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Refresh a session token',
    description: 'Moves the expiry of a live session one hour forward and returns a new token.',
  })
  @ApiBody({ type: RefreshSessionRequest })
  @ApiOkResponse({ type: RefreshSessionResponse, description: 'The new token.' })
  @ApiProblems({
    'the session does not exist, or has expired': { code: 'resource_not_found', model: 'Session', id: '' },
    'missing or invalid fields': INVALID,
  })
  refresh(
    @OrganizationId() organizationId: string,
    @Body() { sessionId }: RefreshSessionRequest,
  ): Promise<RefreshSessionResponse> {
    return this.sessions.refresh(organizationId, sessionId);
  }
}
