import { Injectable } from '@nestjs/common';
import { type InvalidItem, MAX_PROBLEMS, ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import type { MetadataFieldData } from '@cxp/records';
import { jsonBytes } from '../json';
import { SurveySettings } from '../settings';
import { type CreateLinkRequest, type LinkResponse, MAX_PAGE_METADATA_BYTES } from './link.dto';
import { LinkRepository, mappingKey, type SurveyLink } from './link.repository';

/** A link with the public address of its page; null without a page. */
export interface AnsweredLink {
  readonly link: LinkResponse;
  readonly url: string | null;
}

@Injectable()
export class LinkService {
  constructor(
    private readonly links: LinkRepository,
    private readonly settings: SurveySettings,
  ) {}

  /** @throws ProblemError if a metadata field or the campaign is unknown, or the campaign has its maximum number of links */
  async findOrCreate(
    organizationId: string,
    sentCampaignId: string,
    { name, metadata_mapping: mapping }: CreateLinkRequest,
  ): Promise<AnsweredLink> {
    const hash = await mappingKey(mapping);
    const key = { organizationId, campaignId: sentCampaignId.toLowerCase(), mapping, hash };
    const find = () => this.links.find(key, this.settings.SURVEY_LINKS_PER_CAMPAIGN);
    const { fields, limit, link: known } = await find();
    const fieldsById = new Map(fields.map((field) => [field.id, field]));
    rejectWrongFields(mapping, fieldsById);
    if (limit === null) {
      throw new ProblemError({ code: 'resource_not_found', model: 'survey_campaign', id: sentCampaignId });
    }
    const link = known ?? (await this.links.create(key, name, limit)) ?? (await find()).link;
    if (!link) throw new ProblemError({ code: 'threshold_exceeded', model: 'survey_link', threshold: limit });
    return { link: linkResponse(link, fieldsById), url: this.urlOf(link.publicId, mapping, fieldsById) };
  }

  private urlOf(publicId: string, mapping: Mapping, fields: FieldsById): string | null {
    const { SURVEY_PUBLIC_URL: url } = this.settings;
    return url !== undefined && hasPage(mapping, fields) ? `${url}/s/${publicId}` : null;
  }
}

type Mapping = CreateLinkRequest['metadata_mapping'];

/** Measures the metadata as the pages do (`LinkedSurveyReadModel`): as a response stores them. */
function hasPage(mapping: Mapping, fields: FieldsById): boolean {
  let bytes = 1;
  for (const { metadata_id, value } of mapping) {
    bytes += jsonBytes(fields.get(metadata_id)!.variable) + jsonBytes(value) + 2;
    if (bytes > MAX_PAGE_METADATA_BYTES) return false;
  }
  return true;
}

type FieldsById = ReadonlyMap<number, MetadataFieldData>;

/** @throws ProblemError 422 if a field is repeated or unknown */
function rejectWrongFields(mapping: Mapping, fields: FieldsById): void {
  const ids = mapping.map(({ metadata_id }) => metadata_id);
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

function linkResponse(link: SurveyLink, fields: FieldsById): LinkResponse {
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
