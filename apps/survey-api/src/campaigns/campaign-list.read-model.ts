import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  type StatementMode,
  textColumn,
  timeColumn,
} from '@cxp/storage';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '@cxp/records';

/** An omitted filter accepts all campaigns; without statuses, all but deleted ones. */
export interface CampaignFilter {
  readonly statuses?: readonly CampaignStatus[];
  readonly ids?: readonly string[];
  readonly interactedFrom?: Date;
  readonly search?: string;
}

export type ListedCampaign = RowOf<typeof LISTED_CAMPAIGN>;

/** Questions are the text of their JSON, which is stored as it is answered: parsing and writing it again takes 15 times as long. */
const LISTED_CAMPAIGN = {
  id: textColumn('campaign.id'),
  name: textColumn('campaign.name'),
  last_interacted_at: nullable(timeColumn('campaign.last_interacted_at')),
  survey_questions: textColumn('campaign.questions'),
};

export interface CampaignPage {
  /** Counts all pages. */
  readonly total: number;
  readonly items: readonly ListedCampaign[];
}

/**
 * $2 offset, $3 limit, $4 on: filters (`conditions`). An empty page comes as one row of nulls. Count and list are
 * planned separately: they use different indexes.
 */
function pageStatement(conditions: string, mode: StatementMode) {
  return new Statement(
    { ...LISTED_CAMPAIGN, total: numberColumn('matched.total') },
    (list) => `WITH matching AS NOT MATERIALIZED (
       SELECT id, last_interacted_at
       FROM survey.campaign
       WHERE organization_id = $1 ${conditions}
     ), page AS (
       SELECT id
       FROM matching
       ORDER BY last_interacted_at DESC NULLS LAST, id
       OFFSET $2 LIMIT $3
     )
     SELECT ${list}
     FROM (SELECT count(*) AS total FROM matching) AS matched
     LEFT JOIN (page JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = page.id) ON true
     ORDER BY campaign.last_interacted_at DESC NULLS LAST, campaign.id`,
    mode,
  );
}

const LISTED_STATUSES = CAMPAIGN_STATUSES.filter((status) => status !== 'deleted');
const IS_LISTED = `AND status IN (${LISTED_STATUSES.map((status) => `'${status}'`).join(', ')})`;
const PAGE_OF_LISTED = pageStatement(IS_LISTED, 'prepared');

@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    filter: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CampaignPage> {
    const { text, values } = conditionsOf(filter, 4);
    const statement = values.length > 0 ? pageStatement(text, 'planned') : PAGE_OF_LISTED;
    const rows = await statement.run(this.manager, [organizationId, offset, limit, ...values]);
    const listed = rows.filter(({ id }) => id !== null);
    return { total: rows[0]?.total ?? 0, items: listed.map(({ total: _, ...campaign }) => campaign) };
  }
}

function conditionsOf(
  { statuses, ids, interactedFrom, search }: CampaignFilter,
  first: number,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (parameter: string) => string) => {
    conditions.push(`AND ${condition(`$${first - 1 + values.push(value)}`)}`);
  };
  if (statuses) add(statuses, (list) => `status = ANY(${list}::text[])`);
  else conditions.push(IS_LISTED);
  if (ids) add(ids, (list) => `id = ANY(${list}::uuid[])`);
  if (interactedFrom) add(interactedFrom, (time) => `last_interacted_at >= ${time}::timestamptz`);
  if (search !== undefined) {
    add(
      searchPattern(search),
      (pattern) => `id IN (
        SELECT id FROM survey.campaign_name WHERE organization_id = $1 AND searchable_name LIKE ${pattern}
      )`,
    );
  }
  return { text: conditions.join(' '), values };
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
