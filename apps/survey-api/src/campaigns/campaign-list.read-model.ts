import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { MAX_PIECE_BYTES, precedingBytes } from '@cxp/storage';
import type { CampaignStatus } from '@cxp/platform-records';
import { searchPattern } from './searchable-name';
import type { SurveyQuestion } from './survey-question';

export interface CampaignFilter {
  readonly statuses: readonly CampaignStatus[];
  readonly ids?: readonly string[];
  readonly interactedFrom?: Date;
  /** A part of the name. */
  readonly search?: string;
}

export interface ListedCampaign {
  readonly id: string;
  readonly name: string;
  readonly lastInteractedAt: Date | null;
  readonly questions: readonly SurveyQuestion[];
}

export interface CampaignPage {
  /** Of all pages. */
  readonly total: number;
  /** Of all campaigns of the page, in order. */
  readonly ids: readonly string[];
  /** The first ones, if all are too large to be read at once. */
  readonly items: readonly ListedCampaign[];
}

/** The campaigns of an organization, the latest interaction first, page by page. */
@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    { statuses, ids, interactedFrom, search }: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CampaignPage> {
    // Counting and listing are planned apart: the one by the narrowest index, the other by the order.
    const rows = await this.manager.query<(ListedCampaign & { total: number; isRead: boolean })[]>(
      `WITH matching AS NOT MATERIALIZED (
         SELECT id, last_interacted_at
         FROM survey.campaign
         WHERE organization_id = $1
           AND status = ANY($2)
           AND ($3::uuid[] IS NULL OR id = ANY($3))
           AND ($4::timestamptz IS NULL OR last_interacted_at >= $4)
           AND ($5::text IS NULL OR searchable_name LIKE $5)
       ), page AS (
         SELECT id
         FROM matching
         ORDER BY last_interacted_at DESC NULLS LAST, id
         OFFSET $6 LIMIT $7
       )
       SELECT total, id, "lastInteractedAt", preceding_bytes < ${MAX_PIECE_BYTES} AS "isRead",
         CASE WHEN preceding_bytes < ${MAX_PIECE_BYTES} THEN name END AS name,
         CASE WHEN preceding_bytes < ${MAX_PIECE_BYTES} THEN questions END AS questions
       FROM (
         SELECT matched.total, campaign.id, campaign.name, campaign.questions,
           campaign.last_interacted_at AS "lastInteractedAt",
           ${precedingBytes('campaign.bytes', 'campaign.last_interacted_at DESC NULLS LAST, campaign.id')} AS preceding_bytes
         FROM (SELECT count(*)::int AS total FROM matching) AS matched
         LEFT JOIN (page JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = page.id) ON true
       ) AS campaign
       ORDER BY "lastInteractedAt" DESC NULLS LAST, id`,
      [
        organizationId,
        statuses,
        ids ?? null,
        interactedFrom ?? null,
        search === undefined ? null : searchPattern(search),
        offset,
        limit,
      ],
    );
    const listed = rows.filter(({ id }) => id !== null);
    return {
      total: rows[0]?.total ?? 0,
      ids: listed.map(({ id }) => id),
      items: listed.filter(({ isRead }) => isRead),
    };
  }

  /** The first of some campaigns, in their order, as many as one read returns. A campaign is never removed. */
  async ofIds(organizationId: string, ids: readonly string[]): Promise<ListedCampaign[]> {
    return this.manager.query<ListedCampaign[]>(
      `SELECT id, name, questions, "lastInteractedAt" FROM (
         SELECT campaign.id, campaign.name, campaign.questions, campaign.last_interacted_at AS "lastInteractedAt",
           place, ${precedingBytes('campaign.bytes', 'place')} AS preceding_bytes
         FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place)
         JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = wanted.id
       ) AS campaign
       WHERE preceding_bytes < ${MAX_PIECE_BYTES}
       ORDER BY place`,
      [organizationId, ids],
    );
  }
}
