import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, JSON_TYPE } from '@cxp/service-kit';
import { CampaignPageResponse, ListCampaignsQuery } from './campaign.dto';
import { CampaignService } from './campaign.service';

@ApiTags('Survey campaigns')
@Controller('external/survey-campaigns')
export class CampaignController {
  constructor(private readonly campaigns: CampaignService) {}

  @Get()
  @RequirePermission('$survey_campaign:list')
  @ApiOperation({
    summary: 'List survey campaigns',
    description:
      'Campaigns with their questions, ordered by their latest interaction, the latest first. Campaigns without an ' +
      'interaction come last. Equal ones are ordered by id.',
  })
  @Header('content-type', JSON_TYPE)
  @ApiOkResponse({ type: CampaignPageResponse, description: 'One page.' })
  @ApiProblems({
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
  })
  list(@OrganizationId() organizationId: string, @Query() query: ListCampaignsQuery): Promise<Buffer> {
    return this.campaigns.list(organizationId, query);
  }
}
