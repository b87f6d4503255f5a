import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';
import type { CampaignStatus } from '@cxp/records';
import type { SurveyQuestion } from './survey-question';

export interface CampaignFilter {
  readonly statuses: readonly CampaignStatus[];
  readonly ids?: readonly string[];
  readonly interactedFrom?: Date;
  readonly search?: string;
}

export type ListedCampaign = RowOf<typeof LISTED_CAMPAIGN>;

const LISTED_CAMPAIGN = {
  id: textColumn('campaign.id'),
  name: textColumn('campaign.name'),
  last_interacted_at: nullable(timeColumn('campaign.last_interacted_at')),
  survey_questions: jsonColumn<readonly SurveyQuestion[]>('campaign.questions'),
};

export interface CampaignPage {
  /** Counts all pages. */
  readonly total: number;
  readonly items: readonly ListedCampaign[];
}

/**
 * $2 statuses, $3 ids or null, $4 first interaction or null, $5 pattern of the name or null, $6 offset, $7 limit. An empty page
 * comes as one row of nulls. Count and list are planned separately: they use different indexes.
 */
const PAGE = new Statement(
  { ...LISTED_CAMPAIGN, total: numberColumn('matched.total') },
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
   SELECT ${list}
   FROM (SELECT count(*) AS total FROM matching) AS matched
   LEFT JOIN (page JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = page.id) ON true
   ORDER BY campaign.last_interacted_at DESC NULLS LAST, campaign.id`,
);

@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    { statuses, ids, interactedFrom, search }: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CampaignPage> {
    const pattern = search === undefined ? null : searchPattern(search);
    const filter = [organizationId, statuses, ids ?? null, interactedFrom ?? null, pattern] as const;
    const rows = await PAGE.run(this.manager, [...filter, offset, limit]);
    const listed = rows.filter(({ id }) => id !== null);
    return { total: rows[0]?.total ?? 0, items: listed.map(({ total: _, ...campaign }) => campaign) };
  }
}

/**
 * Folds case independently of the database's locale, and composes accents, because the same Vietnamese name can be typed in two
 * ways. The two forms of a Greek sigma are equal.
 */
export function searchableName(name: string): string {
  return name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Escapes `%` and `_`. */
function searchPattern(term: string): string {
  return `%${searchableName(term).replace(/[\\%_]/g, '\\$&')}%`;
}
