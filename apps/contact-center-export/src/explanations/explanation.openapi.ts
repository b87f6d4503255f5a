import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { contactCenterRecordTypes, plainSchema } from '@cxp/platform-records';
import { ApiProblems } from '@cxp/service-kit';
import { CONVERSATION_PROBLEMS } from '../conversation-sessions/conversation-session.openapi';
import { ConversationExplanation } from './explanation.dto';

const EXPLANATION =
  'Every row of the conversation, in the order of the list, from the records that it was made of.';

export function ApiExplainConversation(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'explainConversationSessions',
      summary: 'Explain the figures of one conversation',
      description:
        'Answers for each row which records and rules its session, ticket, satisfaction, anchors and metrics come from, and which ' +
        'time counts as business hours and which does not.',
    }),
    ApiParam({ name: 'conversationId', example: 'conversation-1' }),
    ApiOkResponse({ description: EXPLANATION, type: ConversationExplanation }),
    ApiProblems(CONVERSATION_PROBLEMS),
  );
}

export function ApiExplainWithSchedule(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'explainConversationSessionsWithSchedule',
      summary: 'Explain the figures as they would be with another schedule',
      description: 'The same as the explanation, by the human schedule of the body. Nothing is stored.',
    }),
    ApiBody({
      schema: {
        type: 'object',
        required: ['humanSchedule'],
        example: { humanSchedule: { weekly: [{ weekday: 1, start: '08:30', end: '17:30' }] } },
        properties: { humanSchedule: plainSchema(contactCenterRecordTypes.human_schedule.data) },
      },
    }),
    ApiParam({ name: 'conversationId', example: 'conversation-1' }),
    ApiOkResponse({ description: EXPLANATION, type: ConversationExplanation }),
    ApiProblems({
      ...CONVERSATION_PROBLEMS,
      'a wrong schedule': {
        code: 'invalid',
        items: [{ loc: ['body', 'humanSchedule', 'weekly'], msg: 'Field required', type: 'missing' }],
      },
    }),
  );
}
