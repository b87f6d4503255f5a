import { Injectable } from '@nestjs/common';
import { hexDigestSql } from '@cxp/change-feed';
import { rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { EntityManager } from 'typeorm';
import type { ResponseDayDigest, ResponseDigestsResponse } from './response-change.dto';

/** Days of campaigns that an answer has at most. */
const MAX_DAYS = 100_000;

export const TOO_MANY_DAYS: InvalidItem = {
  loc: ['query', 'end_date'],
  msg: `a window must have at most ${MAX_DAYS.toLocaleString('en')} days of campaigns with responses`,
  type: 'too_large',
};

/** Which responses are compared: those of one campaign or all, whose earliest time falls into a range. */
export interface DigestWindow {
  readonly campaignId: string | undefined;
  readonly from: Date;
  readonly before: Date;
}

/** Digests of the responses in the feed by campaign and day (UTC+7), read from the index of windows. */
@Injectable()
export class ResponseDigestReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** @throws ProblemError 422 if the window has too many days of campaigns */
  async ofDays(
    organizationId: string,
    { campaignId, from, before }: DigestWindow,
  ): Promise<ResponseDigestsResponse> {
    const rows = await this.manager.query<(ResponseDayDigest & Omit<ResponseDigestsResponse, 'items'>)[]>(
      `SELECT state.*, day.*
       FROM (
         SELECT coalesce((SELECT last FROM survey.change_feed WHERE organization_id = $1), 0)::float8 AS change
       ) AS state
       LEFT JOIN (
         SELECT campaign.id AS survey_campaign_id, to_char(local_date, 'YYYY-MM-DD') AS date, rows, digest, last_change
         FROM survey.campaign CROSS JOIN LATERAL (
           SELECT (earliest_at AT TIME ZONE interval '7 hours')::date AS local_date, count(*)::int AS rows,
             ${hexDigestSql('bit_xor(digest)')} AS digest, max(change)::float8 AS last_change
           FROM survey.response
           WHERE organization_id = $1 AND campaign_id = campaign.id AND earliest_at >= $2 AND earliest_at < $3
             AND change IS NOT NULL
           GROUP BY local_date
         ) AS day_of_campaign
         WHERE campaign.organization_id = $1 AND ($4::uuid IS NULL OR campaign.id = $4)
         LIMIT ${MAX_DAYS + 1}
       ) AS day ON true
       ORDER BY day.survey_campaign_id, day.date`,
      [organizationId, from, before, campaignId ?? null],
    );
    if (rows.length > MAX_DAYS) rejectAsInvalid(TOO_MANY_DAYS);
    const { change } = rows[0]!;
    const items = rows
      .filter(({ date }) => date !== null)
      .map(({ survey_campaign_id, date, rows: count, digest, last_change }) => ({
        survey_campaign_id,
        date,
        rows: count,
        digest,
        last_change,
      }));
    return { change, items };
  }
}
