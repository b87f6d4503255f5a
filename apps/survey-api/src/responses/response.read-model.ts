import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  MAX_PIECE_BYTES,
  numberColumn,
  precedingBytes,
  type RowOf,
  Statement,
  timeColumn,
} from '@cxp/storage';
import type { ResponseWindow } from './response-window';
import { responseColumns } from './survey-response';

/** A response and its place in the order of pages. */
type PlacedResponse = RowOf<typeof PLACED_RESPONSE>;

const PLACED_RESPONSE = { ...responseColumns('response'), earliest_at: timeColumn('response.earliest_at') };

const ORDER = 'response.earliest_at, response.identifier';

const PRECEDING_BYTES = `${precedingBytes('response.bytes', ORDER)} AS preceding_bytes`;

/** The end of a statement that selects `PLACED_RESPONSE` of an inner one with `PRECEDING_BYTES`. */
const UP_TO_BOUND = `WHERE preceding_bytes < ${MAX_PIECE_BYTES} ORDER BY ${ORDER}`;

/** $1 organization, $2 campaign, $3 and $4 window, $5 offset, $6 limit. A page without responses comes as one row of nulls. */
const PAGE = new Statement(
  { total: numberColumn('total'), ...PLACED_RESPONSE },
  (list) => `WITH block AS (
     SELECT starts_at, starts_with, responses,
       sum(responses) OVER (ORDER BY starts_at, starts_with) - responses AS preceding
     FROM survey.response_block
     WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4
   ), start AS (
     SELECT starts_at, starts_with, $5 - preceding AS skipped
     FROM block
     WHERE preceding <= $5
     ORDER BY starts_at DESC, starts_with DESC
     LIMIT 1
   ), page AS (
     SELECT place.identifier
     FROM start
     CROSS JOIN LATERAL (
       SELECT identifier
       FROM survey.response
       WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at < $4
         AND (earliest_at, identifier) >= (start.starts_at, start.starts_with)
       ORDER BY earliest_at, identifier
       OFFSET start.skipped LIMIT $6
     ) AS place
   )
   SELECT ${list} FROM (
     SELECT counted.total, response.*, ${PRECEDING_BYTES}
     FROM (SELECT coalesce(sum(responses), 0)::int AS total FROM block) AS counted
     LEFT JOIN (
       page JOIN survey.response ON response.organization_id = $1 AND response.identifier = page.identifier
     ) ON true
   ) AS response ${UP_TO_BOUND}`,
);

/** $1 organization, $2 campaign, $3 end of the window, $4 and $5 position, $6 limit. */
const AFTER = new Statement(
  PLACED_RESPONSE,
  (list) => `SELECT ${list} FROM (
     SELECT *, ${PRECEDING_BYTES}
     FROM (
       SELECT * FROM survey.response
       WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at < $3 AND (earliest_at, identifier) > ($4, $5)
       ORDER BY earliest_at, identifier
       LIMIT $6
     ) AS response
   ) AS response ${UP_TO_BOUND}`,
);

/** Responses in the order of their earliest time, then of their identifier. */
@Injectable()
export class ResponseReadModel {
  constructor(private readonly manager: EntityManager) {}

  /**
   * One page, or the first responses of it, if all are too large to be read at once. The last costs as much as the first, because blocks
   * are added up instead of responses skipped.
   */
  async page(
    organizationId: string,
    { campaignId, from, before }: ResponseWindow,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; items: PlacedResponse[] }> {
    const rows = await PAGE.run(this.manager, [organizationId, campaignId, from, before, offset, limit]);
    const found = rows.filter(({ identifier }) => identifier !== null);
    return { total: rows[0]?.total ?? 0, items: found.map(({ total: _, ...response }) => response) };
  }

  /** At most so many responses of the window that follow one in the order, as many as one read returns. */
  async after(
    organizationId: string,
    { campaignId, before }: ResponseWindow,
    { earliest_at, identifier }: PlacedResponse,
    limit: number,
  ): Promise<PlacedResponse[]> {
    const after = [organizationId, campaignId, before, earliest_at, identifier, limit];
    return AFTER.run(this.manager, after);
  }
}
