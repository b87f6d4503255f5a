import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, JsonBody, LARGE_BODY_BYTES } from '@cxp/service-kit';
import {
  CreateLinkRequest,
  LinkCampaignPath,
  LinkResponse,
  MAX_PAGE_METADATA_BYTES,
  readCreateLink,
} from './link.dto';
import { LinkService } from './link.service';

/** Large bodies in work; each takes some 200 ms of the process. */
const LARGE_LINKS = { perOrganization: 2, total: 16 };
/** Of the area's largest body. */
export const LINK_BODY = { jsonBytes: 4 * 1024 * 1024, maxValues: 100_000, largeAtOnce: LARGE_LINKS };

@ApiTags('Survey links')
@Controller('external/survey-campaigns/:survey_campaign_id/links')
export class LinkController {
  constructor(private readonly links: LinkService) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_link:create')
  @JsonBody(LINK_BODY)
  @ApiOperation({
    summary: 'Create a survey link',
    description:
      'Idempotent: the campaign and `metadata_mapping` are the key. If the campaign has a link of this mapping, that link ' +
      'is returned unchanged, with the name that it has, even if the campaign has its maximum number of links. An organization has ' +
      `at most ${LARGE_LINKS.perOrganization} bodies of more than ${LARGE_BODY_BYTES / 1_024} KiB in work; one more is a 429.`,
  })
  @ApiBody({
    type: CreateLinkRequest,
    examples: {
      'a link of a store': {
        value: {
          name: 'Cửa hàng Hà Nội 01',
          metadata_mapping: [
            { metadata_id: 1, value: 'Hà Nội 01' },
            { metadata_id: 2, value: 2 },
            { metadata_id: 3, value: ['mới', 'trực tuyến'] },
            { metadata_id: 4 },
          ],
        },
      },
      'a link without metadata': { value: { name: 'Website' } },
    },
  })
  @ApiOkResponse({
    type: LinkResponse,
    description: 'The link, new or not.',
    headers: {
      Link: {
        description:
          'The public address of the survey: `<https://…/s/{public_id}>; rel="alternate"; type="text/html"`. Only if the ' +
          `service has public survey pages, and the link at most ${MAX_PAGE_METADATA_BYTES / 1_024} KiB of metadata.`,
        schema: { type: 'string' },
      },
    },
  })
  @ApiProblems({
    'the campaign does not exist': { code: 'resource_not_found', model: 'survey_campaign', id: '' },
    'invalid body': {
      code: 'invalid',
      items: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }],
    },
    'the campaign has the maximum number of links': {
      code: 'threshold_exceeded',
      model: 'survey_link',
      threshold: 50,
    },
  })
  async create(
    @OrganizationId() organizationId: string,
    @Param() { survey_campaign_id: campaignId }: LinkCampaignPath,
    @Body({ transform: readCreateLink }) request: Readonly<CreateLinkRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LinkResponse> {
    const { link, url } = await this.links.findOrCreate(organizationId, campaignId, request);
    if (url) void reply.header('Link', `<${url}>; rel="alternate"; type="text/html"`);
    return link;
  }
}
