import { Injectable } from '@nestjs/common';
import {
  commonEnvelope,
  type InvalidItem,
  MAX_PROBLEMS,
  type Problem,
  ProblemError,
} from '@cxp/error-envelopes';
import { type MetadataField, MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { SurveySettings } from '../settings';
import { type LinkRequest, parseLinkRequest } from './link-request';
import { LinkRepository, type SurveyLink } from './link.repository';
import {
  type Link,
  type LinkAnswer,
  type LinkAnswers,
  MAX_PAGE_METADATA_BYTES,
  type MetadataAssociation,
} from './link.schema';

/** A link as C4 answers it, with the public address of its page; null without one. */
export interface AnsweredLink {
  readonly body: Link;
  readonly url: string | null;
}

@Injectable()
export class LinkService {
  constructor(
    private readonly links: LinkRepository,
    private readonly fields: MetadataFieldRepository,
    private readonly settings: SurveySettings,
  ) {}

  /**
   * Finds the campaign's link of this mapping, or creates it.
   * @throws ProblemError if a metadata field or the campaign is unknown, or the campaign has its maximum number of links
   */
  async findOrCreate(
    organizationId: string,
    campaignId: string,
    request: LinkRequest,
  ): Promise<AnsweredLink> {
    const { outcomes, campaignExists } = await this.outcomesOf(organizationId, campaignId, [
      { value: request },
    ]);
    const [outcome] = outcomes as [Checked<AnsweredLink>];
    // Of an unknown campaign, what is wrong with the body comes first.
    if ('value' in outcome) return outcome.value;
    throw new ProblemError(
      campaignExists || outcome.problem.code === 'invalid' ? outcome.problem : unknownCampaign(campaignId),
    );
  }

  /**
   * Answers each body as C4 would, one after the other. Of what is wrong with all of them, 100 problems are named, and one of each body.
   * @throws ProblemError if the campaign is unknown
   */
  async findOrCreateAll(
    organizationId: string,
    campaignId: string,
    bodies: readonly unknown[],
  ): Promise<LinkAnswers> {
    const problems = new ProblemBudget();
    const parsed = bodies.map((body) => problems.check((most) => parseLinkRequest(body, most)));
    const { outcomes, campaignExists } = await this.outcomesOf(organizationId, campaignId, parsed, problems);
    if (!campaignExists) throw new ProblemError(unknownCampaign(campaignId));
    return { items: outcomes.map(answerOf) };
  }

  private async outcomesOf(
    organizationId: string,
    campaignId: string,
    parsed: readonly Checked<LinkRequest>[],
    problems = new ProblemBudget(),
  ): Promise<{ outcomes: Checked<AnsweredLink>[]; campaignExists: boolean }> {
    const fields = await this.fieldsOf(
      organizationId,
      parsed.flatMap((result) => ('problem' in result ? [] : result.value.mapping)),
    );
    const checked = parsed.map((result) =>
      'problem' in result
        ? result
        : problems.check((most) => (rejectUnknownFields(result.value.mapping, fields, most), result.value)),
    );
    const requests = checked.flatMap((result) => ('problem' in result ? [] : [result.value]));
    const stored = await this.links.findOrCreateAll(
      organizationId,
      campaignId,
      requests,
      this.settings.SURVEY_LINKS_PER_CAMPAIGN,
    );
    const links = (stored?.links ?? []).values();
    const outcomes = checked.map((result): Checked<AnsweredLink> => {
      if ('problem' in result) return result;
      const link = links.next().value;
      if (link) return { value: { body: linkBody(link, fields), url: this.urlOf(link) } };
      return { problem: tooManyLinks(stored?.limit ?? 0) };
    });
    return { outcomes, campaignExists: stored !== undefined };
  }

  private urlOf({ publicId, mapping }: SurveyLink): string | null {
    const { SURVEY_PUBLIC_URL: url } = this.settings;
    const bytes = Buffer.byteLength(JSON.stringify(mapping));
    return url !== undefined && bytes <= MAX_PAGE_METADATA_BYTES ? `${url}/s/${publicId}` : null;
  }

  private async fieldsOf(
    organizationId: string,
    mapping: readonly MetadataAssociation[],
  ): Promise<Map<number, MetadataField>> {
    if (mapping.length === 0) return new Map();
    // Not through a Set: clients choose the numbers, and can choose 30,000 that have one hash.
    return this.fields.findByIds(
      organizationId,
      mapping.map(({ metadata_id }) => metadata_id),
    );
  }
}

function answerOf(outcome: Checked<AnsweredLink>): LinkAnswer {
  if ('value' in outcome) return { status: 200, ...outcome.value };
  const { status, body } = commonEnvelope(outcome.problem);
  return { status, body, url: null };
}

/** @throws ProblemError 422 that names the fields that the organization does not have, so many at most */
function rejectUnknownFields(
  mapping: readonly MetadataAssociation[],
  fields: ReadonlyMap<number, MetadataField>,
  maxProblems = MAX_PROBLEMS,
): void {
  const unknown = mapping.flatMap(({ metadata_id }, index) =>
    fields.has(metadata_id) ? [] : [unknownField(index)],
  );
  if (unknown.length > 0) throw new ProblemError({ code: 'invalid', items: unknown.slice(0, maxProblems) });
}

function unknownCampaign(id: string): Problem {
  return { code: 'resource_not_found', model: 'survey_campaign', id };
}

function tooManyLinks(threshold: number): Problem {
  return { code: 'threshold_exceeded', model: 'survey_link', threshold };
}

type Checked<Value> = { readonly value: Value } | { readonly problem: Problem };

/** How many problems a call may still name. */
class ProblemBudget {
  private left = MAX_PROBLEMS;

  /** @returns what a check returns, or the problem that it throws, of which it keeps so many items at most */
  check<Value>(check: (maxProblems: number) => Value): Checked<Value> {
    try {
      return { value: check(Math.max(this.left, 1)) };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { problem } = error;
      if (problem.code === 'invalid') this.left -= problem.items.length;
      return { problem };
    }
  }
}

function unknownField(index: number): InvalidItem {
  return {
    loc: ['body', 'metadata_mapping', index, 'metadata_id'],
    msg: 'The organization has no metadata field with this id',
    type: 'unknown_metadata',
  };
}

function linkBody(link: SurveyLink, fields: ReadonlyMap<number, MetadataField>): Link {
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
