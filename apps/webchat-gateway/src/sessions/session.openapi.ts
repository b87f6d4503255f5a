import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiProblems } from '@cxp/service-kit';
import {
  CreateSessionRequest,
  CreateSessionResponse,
  RefreshSessionRequest,
  RefreshSessionResponse,
} from './session.dto';

const INVALID = {
  code: 'invalid',
  items: [
    { loc: [], msg: 'organizationId must not be empty', type: '' },
    { loc: [], msg: 'organizationId must be a string', type: '' },
  ],
} as const;

export function ApiCreateSession(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Create a webchat session',
      description:
        "Reuses the user's session that has not expired (matched by `user.id`, then phone, then email); else opens one " +
        'over the earlier conversation of the same `user.id`; else over a new conversation.',
    }),
    ApiBody({ type: CreateSessionRequest }),
    ApiCreatedResponse({ type: CreateSessionResponse, description: 'The session, created or reused.' }),
    ApiProblems({ 'missing or invalid fields': INVALID }),
  );
}

export function ApiRefreshSession(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Refresh a session token',
      description: 'Moves the expiry of a live session one hour forward and returns a new token.',
    }),
    ApiBody({ type: RefreshSessionRequest }),
    ApiOkResponse({ type: RefreshSessionResponse, description: 'The new token.' }),
    ApiProblems({
      'the session does not exist, or has expired': { code: 'resource_not_found', model: 'Session', id: '' },
      'missing or invalid fields': INVALID,
    }),
  );
}
