import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  booleanColumn,
  jsonColumn,
  MAX_PIECE_BYTES,
  nullable,
  numberColumn,
  precedingBytes,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';
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

/** A campaign as C1 answers it, as JSON. */
export type ListedCampaign = RowOf<typeof LISTED_CAMPAIGN>;

const LISTED_CAMPAIGN = {
  id: textColumn('campaign.id'),
  name: textColumn('campaign.name'),
  last_interacted_at: nullable(timeColumn('campaign.last_interacted_at')),
  survey_questions: jsonColumn<readonly SurveyQuestion[]>('campaign.questions'),
};

export interface CampaignPage {
  /** Of all pages. */
  readonly total: number;
  /** Of all campaigns of the page, in order. */
  readonly ids: readonly string[];
  /** The first ones, if all are too large to be read at once. */
  readonly items: readonly ListedCampaign[];
}

const IS_READ = `campaign.preceding_bytes < ${MAX_PIECE_BYTES}`;

/**
 * $1 organization, $2 statuses, $3 ids or null, $4 first interaction or null, $5 pattern of the name or null, $6 offset, $7 limit. A page
 * without campaigns comes as one row of nulls. Counting and listing are planned apart: the one by the narrowest index, the other by the order.
 */
const PAGE = new Statement(
  {
    ...LISTED_CAMPAIGN,
    total: numberColumn('campaign.total'),
    /** Whether its name and questions have been read. */
    isRead: booleanColumn(IS_READ),
    name: textColumn(`CASE WHEN ${IS_READ} THEN campaign.name END`),
    survey_questions: jsonColumn<readonly SurveyQuestion[]>(
      `CASE WHEN ${IS_READ} THEN campaign.questions END`,
    ),
  },
  (list) => `WITH matching AS NOT MATERIALIZED (
     SELECT id, last_interacted_at
     FROM survey.campaign
     WHERE organization_id = $1
       AND status = ANY($2)
       AND ($3::uuid[] IS NULL OR id = ANY($3))
       AND ($4::timestamptz IS NULL OR last_interacted_at >= $4)
       AND ($5::text IS NULL OR id IN (
         SELECT id FROM survey.campaign_name WHERE organization_id = $1 AND searchable_name LIKE $5
       ))
   ), page AS (
     SELECT id
     FROM matching
     ORDER BY last_interacted_at DESC NULLS LAST, id
     OFFSET $6 LIMIT $7
   )
   SELECT ${list} FROM (
     SELECT matched.total, campaign.id, campaign.name, campaign.questions, campaign.last_interacted_at,
       ${precedingBytes('campaign.bytes', 'campaign.last_interacted_at DESC NULLS LAST, campaign.id')} AS preceding_bytes
     FROM (SELECT count(*) AS total FROM matching) AS matched
     LEFT JOIN (page JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = page.id) ON true
   ) AS campaign
   ORDER BY campaign.last_interacted_at DESC NULLS LAST, campaign.id`,
);

/** $1 organization, $2 ids. */
const OF_IDS = new Statement(
  LISTED_CAMPAIGN,
  (list) => `SELECT ${list} FROM (
     SELECT campaign.id, campaign.name, campaign.questions, campaign.last_interacted_at,
       place, ${precedingBytes('campaign.bytes', 'place')} AS preceding_bytes
     FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place)
     JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = wanted.id
   ) AS campaign
   WHERE ${IS_READ}
   ORDER BY place`,
);

/** The campaigns of an organization, the latest interaction first, page by page. */
@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    { statuses, ids, interactedFrom, search }: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CampaignPage> {
    const pattern = search === undefined ? null : searchPattern(search);
    const filter = [organizationId, statuses, ids ?? null, interactedFrom ?? null, pattern];
    const rows = await PAGE.run(this.manager, [...filter, offset, limit]);
    const listed = rows.filter(({ id }) => id !== null);
    return {
      total: rows[0]?.total ?? 0,
      ids: listed.map(({ id }) => id),
      items: listed.filter(({ isRead }) => isRead).map(({ total: _, isRead: __, ...campaign }) => campaign),
    };
  }

  /** The first of some campaigns, in their order, as many as one read returns. A campaign is never removed. */
  async ofIds(organizationId: string, ids: readonly string[]): Promise<ListedCampaign[]> {
    return OF_IDS.run(this.manager, [organizationId, ids]);
  }
}
