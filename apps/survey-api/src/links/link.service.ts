import { Injectable } from '@nestjs/common';
import { type InvalidItem, MAX_PROBLEMS, ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import type { MetadataField } from '../metadata-fields/metadata-field.entity';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { SurveySettings } from '../settings';
import { type CreateLinkRequest, type LinkResponse, MAX_PAGE_METADATA_BYTES } from './link.dto';
import { LinkRepository, type SurveyLink } from './link.repository';

/** A link with the public address of its page; null without a page. */
export interface AnsweredLink {
  readonly link: LinkResponse;
  readonly url: string | null;
}

@Injectable()
export class LinkService {
  constructor(
    private readonly links: LinkRepository,
    private readonly fields: MetadataFieldRepository,
    private readonly settings: SurveySettings,
  ) {}

  /** @throws ProblemError if a metadata field or the campaign is unknown, or the campaign has its maximum number of links */
  async findOrCreate(
    organizationId: string,
    campaignId: string,
    { name, metadata_mapping: mapping }: CreateLinkRequest,
  ): Promise<AnsweredLink> {
    const ids = mapping.map(({ metadata_id }) => metadata_id);
    const fields = await this.fields.findByIds(organizationId, ids);
    rejectWrongFields(ids, fields);
    const found = await this.links.findOrCreate(
      organizationId,
      campaignId,
      { name, mapping },
      this.settings.SURVEY_LINKS_PER_CAMPAIGN,
    );
    if (!found) {
      throw new ProblemError({ code: 'resource_not_found', model: 'survey_campaign', id: campaignId });
    }
    const { link, limit } = found;
    if (!link) throw new ProblemError({ code: 'threshold_exceeded', model: 'survey_link', threshold: limit });
    return { link: linkResponse(link, fields), url: this.urlOf(link) };
  }

  private urlOf({ publicId, mapping }: SurveyLink): string | null {
    const { SURVEY_PUBLIC_URL: url } = this.settings;
    const bytes = Buffer.byteLength(JSON.stringify(mapping));
    return url !== undefined && bytes <= MAX_PAGE_METADATA_BYTES ? `${url}/s/${publicId}` : null;
  }
}

/** @throws ProblemError 422 if a field is repeated or unknown */
function rejectWrongFields(ids: readonly number[], fields: ReadonlyMap<number, MetadataField>): void {
  const problems = ids.flatMap((id, index): InvalidItem[] => {
    const loc = ['body', 'metadata_mapping', index, 'metadata_id'];
    if (ids.indexOf(id) < index) {
      return [{ loc, msg: 'Each metadata_id can be named once only', type: 'duplicate' }];
    }
    if (fields.has(id)) return [];
    return [{ loc, msg: 'The organization has no metadata field with this id', type: 'unknown_metadata' }];
  });
  if (problems.length > 0) rejectAsInvalid(...problems.slice(0, MAX_PROBLEMS));
}

function linkResponse(link: SurveyLink, fields: ReadonlyMap<number, MetadataField>): LinkResponse {
  return {
    id: link.id,
    public_id: link.publicId,
    name: link.name,
    metadata_mapping: link.mapping.map(({ metadata_id, value }) => {
      // Each field of the mapping was found above.
      const { id, name, variable } = fields.get(metadata_id)!;
      return { metadata: { id, name, variable }, value };
    }),
    created: link.createdAt.toISOString(),
    updated: link.updatedAt.toISOString(),
  };
}
