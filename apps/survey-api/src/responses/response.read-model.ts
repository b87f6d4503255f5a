import { Injectable } from '@nestjs/common';
import { PAGE_PARAMETERS, bucketPage, type BucketedTable, pageValues } from '@cxp/change-feed';
import { booleanColumn, numberColumn, type RowOf, Statement, textsColumn } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { isKnownCampaign } from '../campaigns/campaign.repository';
import {
  responseColumns,
  RESPONSE_FIELDS,
  shownJson,
  shownTextColumns,
  type StoredResponse,
} from './response-fields';

/** Ordered by campaign, earliest time and identifier. */
export const RESPONSES: BucketedTable = {
  schema: 'survey',
  table: 'survey.response',
  list: 'campaign_id::text',
  isInList: (list) => `campaign_id = ${list}::uuid`,
  time: 'earliest_at',
  order: ['earliest_at', 'earliest_microseconds', 'identifier'],
};

/** Responses of one campaign by earliest time; `before` is exclusive. */
export interface ResponseWindow {
  readonly campaignId: string;
  /** `from` and `before` are starts of days in UTC+7. */
  readonly from: Date;
  readonly before: Date;
}

export type ResponseSelection = RowOf<typeof SELECTION>;

const { page, total } = bucketPage(RESPONSES);

const SELECTION = {
  total: numberColumn(total),
  identifiers: textsColumn(`ARRAY(SELECT identifier FROM page ORDER BY ${RESPONSES.order.join(', ')})`),
};

const SELECT = new Statement(PAGE_PARAMETERS, SELECTION, (list) => `${page} SELECT ${list}`);

/** `OFFSET 0` forces a lookup of the primary key for each. */
const READ = new Statement(
  { organizationId: 'text', campaignId: 'uuid', identifiers: 'uuid[]' },
  responseColumns(RESPONSE_FIELDS, 'response'),
  (list) => `SELECT ${list}
   FROM unnest($identifiers) WITH ORDINALITY AS key (identifier, place)
   CROSS JOIN LATERAL (
     SELECT * FROM survey.response WHERE organization_id = $organizationId AND identifier = key.identifier OFFSET 0
   ) AS response
   WHERE response.campaign_id = $campaignId
   ORDER BY key.place`,
  'prepared',
);

/** `json` columns are texts: they are stored as they are answered. */
const LISTED = {
  total: numberColumn('selection.total'),
  isKnown: booleanColumn('selection.is_known'),
  ...shownTextColumns('response'),
};

/**
 * A page in one snapshot. An empty one comes as one row of nulls. `OFFSET 0` forces a lookup of the primary key for each
 * response.
 */
const LIST = new Statement(
  PAGE_PARAMETERS,
  LISTED,
  (list) => `${page} SELECT ${list}
   FROM (SELECT ${total} AS total, ${isKnownCampaign('$list::uuid')} AS is_known) AS selection
   LEFT JOIN (page AS key CROSS JOIN LATERAL (
     SELECT * FROM survey.response WHERE organization_id = $organizationId AND identifier = key.identifier OFFSET 0
   ) AS response) ON true
   ORDER BY ${RESPONSES.order.map((column) => `key.${column}`).join(', ')}`,
  'prepared',
);

export interface ListedResponses {
  /** Counts all pages; undefined if the organization has no such campaign. */
  readonly total: number | undefined;
  /** The JSON of each. */
  readonly items: readonly string[];
}

@Injectable()
export class ResponseReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** The cost does not depend on the offset. */
  async select(organizationId: string, window: ResponseWindow, range: PageRange): Promise<ResponseSelection> {
    return (await SELECT.first(this.manager, valuesOf(organizationId, window, range)))!;
  }

  async list(organizationId: string, window: ResponseWindow, range: PageRange): Promise<ListedResponses> {
    const rows = await LIST.run(this.manager, valuesOf(organizationId, window, range));
    const [{ total, isKnown }] = rows as [(typeof rows)[0]];
    const items = rows.filter(({ identifier }) => identifier !== null).map(shownJson);
    return { total: isKnown ? total : undefined, items };
  }

  /** Reads current values in the given order; responses that left the campaign are missing. */
  read(
    organizationId: string,
    campaignId: string,
    identifiers: readonly string[],
  ): Promise<StoredResponse[]> {
    return READ.run(this.manager, { organizationId, campaignId, identifiers });
  }
}

interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

function valuesOf(organizationId: string, { campaignId, from, before }: ResponseWindow, range: PageRange) {
  const window = { startsAt: from.getTime(), endsAt: before.getTime() };
  return pageValues(organizationId, campaignId.toLowerCase(), window, range);
}
