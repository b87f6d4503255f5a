import { Injectable } from '@nestjs/common';
import { hexDigestSql } from '@cxp/change-feed';
import { rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { numberColumn, Statement, textColumn } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { isShown } from '../campaigns/campaign.repository';
import type { ResponseDigestsResponse } from './response-change.dto';

/** Days of campaigns that an answer has at most. */
const MAX_DAYS = 100_000;

export const TOO_MANY_DAYS: InvalidItem = {
  loc: ['query', 'end_date'],
  msg: `a window must have at most ${MAX_DAYS.toLocaleString('en')} days of campaigns with responses`,
  type: 'too_large',
};

/** Which responses are compared: those of one campaign or all, whose earliest time falls into a range. */
interface DigestWindow {
  readonly campaignId: string | undefined;
  readonly from: Date;
  readonly before: Date;
}

/** $1 organization, $2 and $3 window, $4 campaign or null. A window without responses comes as one row, whose day is null. */
const DIGESTS = new Statement(
  {
    change: numberColumn(
      'coalesce((SELECT last FROM survey.change_feed AS feed WHERE feed.organization_id = $1), 0)',
    ),
    survey_campaign_id: textColumn('day.campaign_id'),
    date: textColumn("to_char(day.local_date, 'YYYY-MM-DD')"),
    rows: numberColumn('day.rows'),
    digest: textColumn(hexDigestSql('day.digest')),
    last_change: numberColumn('day.last_change'),
  },
  (list) => `SELECT ${list}
   FROM (VALUES (1)) AS one LEFT JOIN (
     SELECT campaign.id AS campaign_id, day_of_campaign.*
     FROM survey.campaign CROSS JOIN LATERAL (
       SELECT (starts_at AT TIME ZONE interval '7 hours')::date AS local_date, sum(responses) AS rows,
         bit_xor(digest) AS digest, max(last_change) AS last_change
       FROM survey.response_block
       WHERE organization_id = $1 AND campaign_id = campaign.id AND starts_at >= $2 AND starts_at < $3
       GROUP BY local_date
       HAVING sum(responses) > 0
     ) AS day_of_campaign
     WHERE campaign.organization_id = $1 AND ${isShown('campaign')} AND ($4::uuid IS NULL OR campaign.id = $4)
     LIMIT ${MAX_DAYS + 1}
   ) AS day ON true
   ORDER BY day.campaign_id, day.local_date`,
);

/** Digests of the responses in the feed by campaign and day (UTC+7), added up from their blocks. */
@Injectable()
export class ResponseDigestReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** @throws ProblemError 422 if the window has too many days of campaigns */
  async ofDays(
    organizationId: string,
    { campaignId, from, before }: DigestWindow,
  ): Promise<ResponseDigestsResponse> {
    const rows = await DIGESTS.run(this.manager, [organizationId, from, before, campaignId ?? null]);
    if (rows.length > MAX_DAYS) rejectAsInvalid(TOO_MANY_DAYS);
    const { change } = rows[0]!;
    const days = rows.filter(({ date }) => date !== null);
    return { change, items: days.map(({ change: _, ...day }) => day) };
  }
}
