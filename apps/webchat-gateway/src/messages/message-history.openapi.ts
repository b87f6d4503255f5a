import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { messageEnvelope, type Problem } from '@cxp/error-envelopes';
import { HistoryResponse } from './message.dto';

const PROBLEMS: Readonly<Record<string, Problem>> = {
  'The session token is missing or not valid, or the session has ended': { code: 'unauthenticated' },
  "The conversation is not the session's": { code: 'resource_not_found', model: 'Conversation', id: '' },
  'Invalid parameters': {
    code: 'invalid',
    items: [{ loc: [], msg: 'limit must not be greater than 100', type: '' }],
  },
  'Rate limit exceeded': { code: 'rate_limited', retryAfterSeconds: 1 },
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
    ...Object.entries(PROBLEMS).map(([description, problem]) => {
      const { status, body } = messageEnvelope(problem);
      return ApiResponse({ status, description, content: { 'application/json': { example: body } } });
    }),
  );
}
