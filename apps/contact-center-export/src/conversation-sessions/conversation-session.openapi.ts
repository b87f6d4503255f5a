import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, getSchemaPath } from '@nestjs/swagger';
import { ApiProblems, type DescribedProblems } from '@cxp/service-kit';
import { ConversationSessionPageResponse, ConversationSessionsResponse } from './conversation-session.dto';

/** `organizationId` may be sent as a parameter, too. */
export const SHARED_PROBLEMS: DescribedProblems = {
  'the `organizationId` differs from the authenticated organization': { code: 'organization_mismatch' },
};

/** Of the endpoints that read a window of days. */
export const WINDOW_PROBLEMS: DescribedProblems = {
  ...SHARED_PROBLEMS,
  'missing or invalid parameters': {
    code: 'invalid',
    items: [{ loc: ['query', 'startDate'], msg: 'Field required', type: 'missing' }],
  },
};

/** Of the endpoints that read one conversation. */
export const CONVERSATION_PROBLEMS: DescribedProblems = {
  ...SHARED_PROBLEMS,
  'the organization has no such conversation': {
    code: 'resource_not_found',
    model: 'Conversation',
    id: 'c-1001',
  },
  'unknown timezone': {
    code: 'invalid',
    items: [
      {
        loc: ['query', 'timezone'],
        msg: 'timezone must be an IANA timezone name',
        type: 'value_error',
      },
    ],
  },
};

export function ApiListConversationSessions(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'List conversation sessions',
      description:
        'Answers the rows of conversations whose updatedAt is in the window, ordered by updatedAt, conversationId, sessionIndex ' +
        '(ticket-only rows last) and ticketId. With `Accept: application/x-ndjson`, `text/csv`, or that of a workbook or of Parquet, one request streams every row ' +
        'of the window in the same order; lines of NDJSON and CSV have a `cursor`. `cursor=` continues exactly after that row, in pages (with ' +
        '`nextCursor`) and in streams. A row can change without moving to the end of the window: to keep a copy, use ' +
        '`/external/conversation-session-changes`.',
    }),
    ApiExtraModels(ConversationSessionPageResponse),
    ApiOkResponse({
      description: 'One page, or, by `Accept`, the whole window.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ConversationSessionPageResponse) } },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'One ConversationSession a line, with `cursor`.' },
        },
        'text/csv': {
          schema: { type: 'string', description: 'UTF-8, with a header; customFields as JSON.' },
        },
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
          schema: {
            type: 'string',
            format: 'binary',
            description:
              'A workbook with a bold heading that filters, without cursors. Times are dates on the clocks of `timezone`, numbers ' +
              'are numbers, customFields are JSON. More than 1,048,575 rows are a 422 of type `too_large`. A text of ' +
              'more than 32,767 characters is cut, and its cell says so.',
          },
        },
        'application/vnd.apache.parquet': {
          schema: {
            type: 'string',
            format: 'binary',
            description:
              'Apache Parquet: a column for each field (times as TIMESTAMP in UTC, integers as INT64, customFields as JSON), and ' +
              'conversationUpdatedAt, which the digest of a row covers. Key-value metadata: `window`; for a window without filters also ' +
              '`change` and `digests`, as the digests of the window were when the file began.',
          },
        },
      },
      headers: {
        'content-disposition': {
          description: 'The name of the file; not for JSON and NDJSON',
          schema: { type: 'string' },
        },
      },
    }),
    ApiProblems(WINDOW_PROBLEMS),
  );
}

export function ApiGetConversation(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'getConversationSessions',
      summary: 'Get the session rows of one conversation',
      description: 'Every row of the conversation, in the order of the list.',
    }),
    ApiParam({ name: 'conversationId', example: 'conversation-1' }),
    ApiOkResponse({ type: ConversationSessionsResponse, description: 'All rows of the conversation.' }),
    ApiProblems(CONVERSATION_PROBLEMS),
  );
}
