import { Injectable } from '@nestjs/common';
import { bucketPage, type BucketedTable, pageValues } from '@cxp/change-feed';
import { numberColumn, type RowOf, Statement, textsColumn } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { responseColumns, RESPONSE_FIELDS, type StoredResponse } from './response-fields';

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

const SELECT = new Statement(SELECTION, (list) => `${page} SELECT ${list}`);

/** $3 identifiers. `OFFSET 0` forces a lookup of the primary key for each. */
const READ = new Statement(
  responseColumns(RESPONSE_FIELDS, 'response'),
  (list) => `SELECT ${list}
   FROM unnest($3::uuid[]) WITH ORDINALITY AS key (identifier, place)
   CROSS JOIN LATERAL (
     SELECT * FROM survey.response WHERE organization_id = $1 AND identifier = key.identifier OFFSET 0
   ) AS response
   WHERE response.campaign_id = $2
   ORDER BY key.place`,
  'prepared',
);

@Injectable()
export class ResponseReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** The cost does not depend on the offset. */
  async select(
    organizationId: string,
    { campaignId, from, before }: ResponseWindow,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<ResponseSelection> {
    const window = { startsAt: from.getTime(), endsAt: before.getTime() };
    const selection = await SELECT.first(
      this.manager,
      pageValues(organizationId, campaignId.toLowerCase(), window, range),
    );
    return selection!;
  }

  /** Reads current values in the given order; responses that left the campaign are missing. */
  read(
    organizationId: string,
    campaignId: string,
    identifiers: readonly string[],
  ): Promise<StoredResponse[]> {
    return READ.run(this.manager, [organizationId, campaignId, identifiers]);
  }
}
