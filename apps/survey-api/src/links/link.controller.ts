import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { JsonBody } from '@cxp/service-kit';
import { type LinkRequest, parseLinkBatch, parseLinkRequest } from './link-request';
import { ApiCreateLink, ApiCreateLinks, type Link, type LinkAnswers } from './link.schema';
import { LinkService } from './link.service';

export class LinkCampaignPath {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;
}

const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** A batch is many bodies in one. */
const BODY_LIMITS = { maxValues: 100_000 };

@ApiTags('Survey links')
@Controller('external/survey-campaigns/:survey_campaign_id/links')
export class LinkController {
  constructor(private readonly links: LinkService) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_link:create')
  @JsonBody(BODY_LIMIT_BYTES, BODY_LIMITS)
  @ApiCreateLink()
  async create(
    @OrganizationId() organizationId: string,
    @Param() { survey_campaign_id: campaignId }: LinkCampaignPath,
    @Body({ transform: (body: unknown) => parseLinkRequest(body) }) request: LinkRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Link> {
    const { body, url } = await this.links.findOrCreate(organizationId, campaignId, request);
    if (url) void reply.header('Link', `<${url}>; rel="alternate"; type="text/html"`);
    return body;
  }

  @Post('batch')
  @HttpCode(200)
  @RequirePermission('$survey_link:create')
  @JsonBody(BODY_LIMIT_BYTES, BODY_LIMITS)
  @ApiCreateLinks()
  createAll(
    @OrganizationId() organizationId: string,
    @Param() { survey_campaign_id: campaignId }: LinkCampaignPath,
    @Body({ transform: parseLinkBatch }) items: readonly unknown[],
  ): Promise<LinkAnswers> {
    return this.links.findOrCreateAll(organizationId, campaignId, items);
  }
}
