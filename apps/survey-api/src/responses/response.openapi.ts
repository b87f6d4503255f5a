import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiProblems } from '@cxp/service-kit';
import { UNKNOWN_CAMPAIGN } from '../campaigns/unknown-campaign';
import { SurveyResponsePageDto } from './response.dto';

export const WINDOW_PROBLEMS = {
  'missing or invalid parameters': {
    code: 'invalid',
    items: [
      { loc: ['query', 'start_date'], msg: 'Field required', type: 'missing' },
      {
        loc: ['query', 'end_date'],
        msg: 'end_date must be a date (YYYY-MM-DD)',
        type: 'date_from_datetime_parsing',
      },
    ],
  },
  'the organization has no such campaign': { code: 'invalid', items: [UNKNOWN_CAMPAIGN] },
} as const;

export function ApiListResponses(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'List survey responses',
      description:
        'The responses of one campaign, ordered by their earliest timestamp, then by `identifier`.',
    }),
    ApiOkResponse({ type: SurveyResponsePageDto, description: 'One page.' }),
    ApiProblems(WINDOW_PROBLEMS),
  );
}
