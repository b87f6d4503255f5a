import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiSurvey } from '../api-survey';
import { CampaignPageResponse } from './campaign.dto';

export function ApiListCampaigns(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'List survey campaigns',
      description:
        'With their questions. The latest interaction first, campaigns without one last, then by id.',
    }),
    ApiOkResponse({ type: CampaignPageResponse }),
    ApiSurvey({
      'invalid parameters': {
        code: 'invalid',
        items: [
          {
            loc: ['query', 'statuses'],
            msg: 'each of statuses must be one of: draft, active, inactive, deleted',
            type: 'enum',
          },
        ],
      },
    }),
  );
}
