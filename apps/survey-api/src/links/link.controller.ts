import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { parseLinkRequest, type LinkRequest } from './link-request';
import { LinkCampaignPath, type LinkResponse } from './link.dto';
import { ApiCreateLink } from './link.openapi';
import { LinkService } from './link.service';

const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

@ApiTags('Survey links')
@Controller('external/survey-campaigns/:survey_campaign_id/links')
export class LinkController {
  constructor(private readonly links: LinkService) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_link:create')
  @JsonBody(BODY_LIMIT_BYTES)
  @ApiCreateLink()
  create(
    @OrganizationId() organizationId: string,
    @Param() { survey_campaign_id: campaignId }: LinkCampaignPath,
    @Body({ transform: parseLinkRequest }) request: LinkRequest,
  ): Promise<LinkResponse> {
    return this.links.findOrCreate(organizationId, campaignId, request);
  }
}
