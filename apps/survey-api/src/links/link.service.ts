import { Injectable } from '@nestjs/common';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { MetadataFieldRepository, type MetadataField } from '../metadata-fields/metadata-field.repository';
import { SurveySettings } from '../settings';
import type { LinkRequest } from './link-request';
import type { LinkResponse } from './link.dto';
import { LinkRepository, type SurveyLink } from './link.repository';
import type { MetadataAssociation } from './metadata-mapping';

@Injectable()
export class LinkService {
  constructor(
    private readonly links: LinkRepository,
    private readonly fields: MetadataFieldRepository,
    private readonly settings: SurveySettings,
  ) {}

  /**
   * Finds the campaign's link of this mapping, or makes it.
   * @throws ProblemError when a metadata field or the campaign is unknown, or the campaign has all its links
   */
  async findOrCreate(
    organizationId: string,
    campaignId: string,
    request: LinkRequest,
  ): Promise<LinkResponse> {
    const fields = await this.findFields(organizationId, request.mapping);
    const { link, campaignExists, limit } = await this.links.findOrCreate(
      organizationId,
      campaignId,
      request,
      this.settings.SURVEY_LINKS_PER_CAMPAIGN,
    );
    if (link) return linkResponse(link, fields);
    throw new ProblemError(
      campaignExists
        ? { code: 'threshold_exceeded', model: 'survey_link', threshold: limit }
        : { code: 'resource_not_found', model: 'survey_campaign', id: campaignId },
    );
  }

  private async findFields(
    organizationId: string,
    mapping: readonly MetadataAssociation[],
  ): Promise<Map<number, MetadataField>> {
    if (mapping.length === 0) return new Map();
    const ids = mapping.map(({ metadata_id }) => metadata_id);
    const fields = await this.fields.findByIds(organizationId, ids);
    const unknown = ids.flatMap((id, index) => (fields.has(id) ? [] : [unknownField(index)]));
    if (unknown.length > 0) throw new ProblemError({ code: 'invalid', items: unknown });
    return fields;
  }
}

function unknownField(index: number): InvalidItem {
  return {
    loc: ['body', 'metadata_mapping', index, 'metadata_id'],
    msg: 'The organization has no metadata field with this id',
    type: 'unknown_metadata',
  };
}

function linkResponse(link: SurveyLink, fields: ReadonlyMap<number, MetadataField>): LinkResponse {
  return {
    id: link.id,
    public_id: link.publicId,
    name: link.name,
    metadata_mapping: link.mapping.map(({ metadata_id, value }) => ({
      // The mapping of the link is that of the request: its fields have been found.
      metadata: fields.get(metadata_id)!,
      value,
    })),
    created: link.createdAt.toISOString(),
    updated: link.updatedAt.toISOString(),
  };
}
