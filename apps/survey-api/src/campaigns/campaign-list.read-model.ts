import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
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

/** The campaigns of an organization, the latest interaction first, page by page. */
@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    { statuses, ids, interactedFrom, search }: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; items: ListedCampaign[] }> {
    // Counting and listing are planned apart: the one by the narrowest index, the other by the order.
    const rows = await this.manager.query<(ListedCampaign & { total: number })[]>(
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
       SELECT matched.total, campaign.id, campaign.name, campaign.questions,
         campaign.last_interacted_at AS "lastInteractedAt"
       FROM (SELECT count(*)::int AS total FROM matching) AS matched
       LEFT JOIN (page JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = page.id) ON true
       ORDER BY campaign.last_interacted_at DESC NULLS LAST, campaign.id`,
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
    return { total: rows[0]?.total ?? 0, items: rows.filter(({ id }) => id !== null) };
  }
}
