import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiProblems } from '@cxp/service-kit';
import { CampaignPageResponse } from './campaign.dto';

export function ApiListCampaigns(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'List survey campaigns',
      description:
        'Campaigns with their questions, ordered by their latest interaction, the latest first. Campaigns without an ' +
        'interaction come last. Equal ones are ordered by id.',
    }),
    ApiOkResponse({ type: CampaignPageResponse, description: 'One page.' }),
    ApiProblems({
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
