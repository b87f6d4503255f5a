import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  nullable,
  numberColumn,
  type ParameterType,
  type RowOf,
  Statement,
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

/** Names are those of the answer. Questions are its JSON, as stored: parsing and writing it again takes 15 times as long. */
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

const PAGE = { organizationId: 'text', offset: 'bigint', limit: 'bigint' } as const;

const FILTERS = {
  statuses: { type: 'text[]', condition: 'status = ANY ($statuses)' },
  ids: { type: 'uuid[]', condition: 'id = ANY ($ids)' },
  interactedFrom: { type: 'timestamptz', condition: 'last_interacted_at >= $interactedFrom' },
  search: {
    type: 'text',
    condition: `id IN (
        SELECT id FROM survey.campaign_name WHERE organization_id = $organizationId AND searchable_name LIKE $search
      )`,
  },
} as const satisfies Record<keyof CampaignFilter, { type: ParameterType; condition: string }>;

const LISTED_STATUSES = CAMPAIGN_STATUSES.filter((status) => status !== 'deleted');
const IS_LISTED = `status IN (${LISTED_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** An empty page comes as one row of nulls. Count and list use different indexes; `OFFSET 0` forces a lookup of the primary key. */
function pageStatement(filters: readonly (keyof CampaignFilter)[]) {
  const types = Object.fromEntries(filters.map((name) => [name, FILTERS[name].type]));
  const conditions: string[] = filters.map((name) => FILTERS[name].condition);
  if (!filters.includes('statuses')) conditions.push(IS_LISTED);
  return new Statement(
    { ...types, ...PAGE },
    { ...LISTED_CAMPAIGN, total: numberColumn('matched.total') },
    (list) => `WITH matching AS NOT MATERIALIZED (
       SELECT id, last_interacted_at
       FROM survey.campaign
       WHERE organization_id = $organizationId AND ${conditions.join(' AND ')}
     ), page AS (
       SELECT id
       FROM matching
       ORDER BY last_interacted_at DESC NULLS LAST, id
       OFFSET $offset LIMIT $limit
     )
     SELECT ${list}
     FROM (SELECT count(*) AS total FROM matching) AS matched
     LEFT JOIN (page CROSS JOIN LATERAL (
       SELECT * FROM survey.campaign WHERE organization_id = $organizationId AND id = page.id OFFSET 0
     ) AS campaign) ON true
     ORDER BY campaign.last_interacted_at DESC NULLS LAST, campaign.id`,
    filters.length > 0 ? 'planned' : 'prepared',
  );
}

const PAGE_OF_LISTED = pageStatement([]);

@Injectable()
export class CampaignListReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    filter: CampaignFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CampaignPage> {
    const { search } = filter;
    const values = { ...filter, search: search === undefined ? undefined : searchPattern(search) };
    const filters = (Object.keys(FILTERS) as (keyof CampaignFilter)[]).filter(
      (name) => values[name] !== undefined,
    );
    const statement = filters.length > 0 ? pageStatement(filters) : PAGE_OF_LISTED;
    const rows = await statement.run(this.manager, { organizationId, offset, limit, ...values });
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
