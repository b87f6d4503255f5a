import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { CURSOR_PROBLEMS } from '@cxp/change-feed';
import { ApiProblems } from '@cxp/service-kit';
import { SHARED_PROBLEMS, WINDOW_PROBLEMS } from '../conversation-sessions/conversation-session.openapi';
import {
  ConversationSessionChangePageResponse,
  ConversationSessionDigestsResponse,
} from './conversation-session-change.dto';

export function ApiListConversationSessionChanges(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'listConversationSessionChanges',
      summary: 'List changes of conversation sessions',
      description:
        'Every change of a row since the cursor, in the order of commits: `upsert` for a row that appeared or changed, `delete` for ' +
        'a row that disappeared, with the reason, `resync` if all rows have to be read again. Only the last change of each row is listed. Apply ' +
        'the items in order, store `nextCursor` with them, and continue with it: if `hasMore` is false, the copy holds exactly ' +
        'the rows that the list of conversation sessions holds at that moment. Ignore a `delete` of a row that the copy does not hold. ' +
        'After a `resync` or a 410, start again without a cursor. `Accept: application/x-ndjson` streams all changes, each with a ' +
        '`cursor`, and then a line with `op` `end`, `change` and `cursor`; `limit` and `wait` do not apply.',
    }),
    ApiExtraModels(ConversationSessionChangePageResponse),
    ApiOkResponse({
      description: 'One page, or, by `Accept`, all changes after the cursor.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ConversationSessionChangePageResponse) } },
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description:
              'One item per line, with its `cursor`; at last `{"op": "end", "change": …, "cursor": …}`.',
          },
        },
      },
    }),
    ApiProblems({
      ...SHARED_PROBLEMS,
      ...CURSOR_PROBLEMS,
    }),
  );
}

export function ApiListConversationSessionDigests(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'listConversationSessionDigests',
      summary: 'List digests of conversation sessions by day',
      description:
        'For each day of the window that holds rows, by conversation updatedAt in the timezone: how many rows, and the XOR of their ' +
        'digests. A copy that was read up to `change` is right if its own rows give the same.',
    }),
    ApiOkResponse({ type: ConversationSessionDigestsResponse, description: 'The digests of one snapshot.' }),
    ApiProblems(WINDOW_PROBLEMS),
  );
}
