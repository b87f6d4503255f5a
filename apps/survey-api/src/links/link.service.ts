import { Injectable } from '@nestjs/common';
import {
  commonEnvelope,
  MAX_PROBLEMS,
  ProblemError,
  type InvalidItem,
  type Problem,
} from '@cxp/error-envelopes';
import { inPieces, itemsJson, nextTurn } from '@cxp/service-kit';
import type { StatementScope } from '@cxp/storage';
import { MetadataFieldRepository, type MetadataField } from '../metadata-fields/metadata-field.repository';
import { SurveySettings } from '../settings';
import { parseLinkRequest, type LinkRequest } from './link-request';
import { LinkRepository, type SurveyLink } from './link.repository';
import type { Link, LinkAnswer } from './link.schema';
import type { MetadataAssociation } from './metadata-mapping';

/** How many items of a batch are checked in one turn of the event loop: 500 of the largest take 100 ms. */
const ITEMS_OF_A_TURN = 50;

/** How many items of a batch are written at once: the largest have 200 fields with their names. */
const ITEMS_OF_A_PIECE = 10;

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
    statements: StatementScope,
  ): Promise<Link> {
    const { link, fields, campaignExists, limit } = await this.links.findOrCreate(
      organizationId,
      campaignId,
      request,
      this.settings.SURVEY_LINKS_PER_CAMPAIGN,
      statements,
    );
    const known = new Map(fields.map((field) => [field.id, field]));
    rejectUnknownFields(request.mapping, known);
    if (link) return linkBody(link, known);
    throw new ProblemError(campaignExists ? tooManyLinks(limit) : unknownCampaign(campaignId));
  }

  /**
   * Answers each body as C4 would, one after the other. Of what is wrong with all of them, 100 problems are told, and one of each body.
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError if the campaign is unknown
   */
  async *findOrCreateAll(
    organizationId: string,
    campaignId: string,
    bodies: readonly unknown[],
  ): AsyncGenerator<string | Buffer> {
    const problems = new ProblemBudget();
    const parsed: Checked<LinkRequest>[] = [];
    for (const body of bodies) {
      parsed.push(problems.check((most) => parseLinkRequest(body, most)));
      if (parsed.length % ITEMS_OF_A_TURN === 0) await nextTurn();
    }
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
    const outcome = await this.links.findOrCreateAll(
      organizationId,
      campaignId,
      requests,
      this.settings.SURVEY_LINKS_PER_CAMPAIGN,
    );
    if (!outcome) throw new ProblemError(unknownCampaign(campaignId));
    const links = outcome.links.values();
    const answer = (result: Checked<LinkRequest>): LinkAnswer => {
      if ('problem' in result) return refused(result.problem);
      const link = links.next().value;
      return link ? this.accepted(link, fields) : refused(tooManyLinks(outcome.limit));
    };
    yield* itemsJson(inPieces(checked, ITEMS_OF_A_PIECE), (results) =>
      results.map((result) => JSON.stringify(answer(result))).join(','),
    );
  }

  /** The public address of a link; null without `SURVEY_PUBLIC_URL`. */
  urlOf(publicId: string): string | null {
    const { SURVEY_PUBLIC_URL: url } = this.settings;
    return url === undefined ? null : `${url}/s/${publicId}`;
  }

  private accepted(link: SurveyLink, fields: ReadonlyMap<number, MetadataField>): LinkAnswer {
    return { status: 200, body: linkBody(link, fields), url: this.urlOf(link.publicId) };
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

/** How many problems a call may still tell. */
class ProblemBudget {
  private left = MAX_PROBLEMS;

  /** @returns what a check returns, or the problem that it throws, of which it tells so many items at most */
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

function refused(problem: Problem): LinkAnswer {
  const { status, body } = commonEnvelope(problem);
  return { status, body, url: null };
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
