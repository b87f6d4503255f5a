import { Injectable } from '@nestjs/common';
import { DIGEST_PARAMETERS, digestsOfDays, digestValues, hexDigest } from '@cxp/change-feed';
import { type InvalidItem, rejectAsInvalid } from '@cxp/error-envelopes';
import { nullable, numberColumn, Statement, textColumn, DAY_MS } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { OFFSET_MS } from '../calendar/day-window';
import { RESPONSES } from '../responses/response.read-model';
import type { ResponseDigestsResponse } from './response-change.dto';

/** Campaign days of one answer. */
const MAX_DAYS = 100_000;

export const TOO_MANY_DAYS: InvalidItem = {
  loc: ['query', 'end_date'],
  msg: `a window must have at most ${MAX_DAYS.toLocaleString('en')} days of campaigns with responses`,
  type: 'too_large',
};

/** Compares one campaign or all, in a range of earliest times. */
interface DigestWindow {
  readonly campaignId: string | undefined;
  readonly from: Date;
  readonly before: Date;
}

/** Every response has a campaign, perhaps an awaited one. */
const CAMPAIGNS = `CASE WHEN $list IS NULL
  THEN ARRAY(SELECT id::text FROM survey.campaign WHERE organization_id = $organizationId) ELSE ARRAY[$list] END`;

/** In the form of `digestValues`. An empty window comes as one row of nulls. */
const DIGESTS = new Statement(
  DIGEST_PARAMETERS,
  {
    change: numberColumn(
      'coalesce((SELECT last FROM survey.change_feed WHERE organization_id = $organizationId), 0)',
    ),
    list: textColumn('list'),
    day: nullable(numberColumn('day')),
    rows: numberColumn('rows'),
    digest: textColumn('digest'),
  },
  (list) => `SELECT ${list} FROM (VALUES (1)) AS one LEFT JOIN (
     ${digestsOfDays(RESPONSES, 'list, day, sum(rows) AS rows, bit_xor(digest) AS digest', 'buckets', CAMPAIGNS)}
     LIMIT ${MAX_DAYS + 1}
   ) AS of_day ON TRUE
   ORDER BY list, day`,
);

@Injectable()
export class ResponseDigestReadModel {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Reads one snapshot.
   * @throws ProblemError 422 if the window has too many campaign days
   */
  async ofDays(
    organizationId: string,
    { campaignId, from, before }: DigestWindow,
  ): Promise<Omit<ResponseDigestsResponse, 'cursor'>> {
    const window = { startsAt: from.getTime(), endsAt: before.getTime() };
    // A day in UTC+7 is a whole number of buckets.
    const offset = { since: window.startsAt, offset: OFFSET_MS, leastDay: -1e9 };
    const values = digestValues(organizationId, campaignId?.toLowerCase() ?? null, window, [offset]);
    const found = await DIGESTS.run(this.manager, values);
    if (found.length > MAX_DAYS) rejectAsInvalid(TOO_MANY_DAYS);
    const items = found.flatMap(({ list, day, rows, digest }) => {
      if (day === null) return [];
      const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      return [{ survey_campaign_id: list, date, rows, digest: hexDigest(BigInt(digest)) }];
    });
    return { change: found[0]!.change, items };
  }
}
