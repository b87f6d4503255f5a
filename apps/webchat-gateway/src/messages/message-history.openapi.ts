import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { messageEnvelope } from '@cxp/error-envelopes';
import { ApiProblems, type DescribedProblems } from '@cxp/service-kit';
import { HistoryResponse } from './message.dto';

const PROBLEMS: DescribedProblems = {
  'the session token is missing or not valid, or the session has ended': { code: 'unauthenticated' },
  "the conversation is not the session's": { code: 'resource_not_found', model: 'Conversation', id: '' },
  'invalid parameters': {
    code: 'invalid',
    items: [{ loc: [], msg: 'limit must not be greater than 100', type: '' }],
  },
  'rate limit exceeded': { code: 'rate_limited', retryAfterSeconds: 1 },
};

/** Not `ApiExternal`: this is called by customers' clients, with their session token and no other header. */
export function ApiMessageHistory(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: "List a conversation's messages",
      description:
        "The last messages, or those before or after one. Called by the customer's client with the `sessionToken` as " +
        'the bearer token; messages as they happen come over the socket, see `/docs/asyncapi.json`.',
    }),
    ApiBearerAuth('sessionToken'),
    ApiParam({ name: 'conversationId', description: "`conversationId` of the token's session." }),
    ApiOkResponse({ type: HistoryResponse }),
    ApiProblems(messageEnvelope, PROBLEMS),
  );
}
