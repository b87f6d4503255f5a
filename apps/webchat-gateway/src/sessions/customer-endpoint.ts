import { applyDecorators, Header, HttpCode, Options } from '@nestjs/common';
import { ApiBearerAuth, ApiExcludeEndpoint, ApiParam } from '@nestjs/swagger';
import { CheckedBy, Public } from '@cxp/auth-headers';
import { ApiProblems, type DescribedProblems } from '@cxp/service-kit';
import { ANY_ORIGIN, SessionTokenGuard } from './session-token.guard';

const PROBLEMS: DescribedProblems = {
  'the session token is missing or not valid, or the session has ended': {
    code: 'unauthenticated',
    reason: 'expired_token',
  },
  "the conversation is not the session's": { code: 'resource_not_found', model: 'Conversation', id: '' },
  'invalid parameters': {
    code: 'invalid',
    items: [{ loc: [], msg: 'limit must not be greater than 100', type: '' }],
  },
  'rate limit exceeded': { code: 'rate_limited', limit: '', retryAfterSeconds: 1 },
};

/** A GET about `:conversationId` that a customer's client calls with its session token and no other header. */
export function CustomerEndpoint(): MethodDecorator {
  return applyDecorators(
    CheckedBy(SessionTokenGuard),
    Header('cache-control', 'no-store'),
    ApiBearerAuth('sessionToken'),
    ApiParam({ name: 'conversationId', description: "`conversationId` of the token's session." }),
    ApiProblems(PROBLEMS),
  );
}

/** The answer to the request by which a browser asks whether a page may call the endpoint. */
export function CustomerPreflight(path: string): MethodDecorator {
  return applyDecorators(
    Options(path),
    Public(),
    HttpCode(204),
    Header(...ANY_ORIGIN),
    Header('access-control-allow-headers', 'authorization'),
    Header('access-control-max-age', '86400'),
    ApiExcludeEndpoint(),
  );
}
