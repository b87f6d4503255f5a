import type { Expired, ExpiringData } from '@cxp/erasure';
import { Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { surveyDatabase } from '../database';
import { ResponseRepository } from '../responses/response.repository';
import { LATEST_AT } from '../responses/response-fields';
import { inSurveyTurn, RESPONSES_PER_STEP } from './survey-erasure';

/**
 * $1 the instant before which responses have expired, $2 to $5 a place: organization, campaign, earliest time and identifier. Every response
 * has a campaign, an awaited one if need be, and none is answered before its earliest time, so that the index of windows finds them.
 */
const FIND_EXPIRED = new Statement(
  {
    organizationId: textColumn('expired.organization_id'),
    campaignId: textColumn('expired.campaign_id'),
    earliestAt: textColumn("to_char(expired.earliest_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS+00')"),
    identifier: textColumn('expired.identifier'),
  },
  (list) => `SELECT ${list}
   FROM survey.campaign CROSS JOIN LATERAL (
     SELECT organization_id, campaign_id, earliest_at, identifier
     FROM survey.response
     WHERE organization_id = campaign.organization_id AND campaign_id = campaign.id
       AND earliest_at < $1 AND ${LATEST_AT} < $1
       AND ((organization_id, campaign_id) <> ($2, $3::uuid) OR (earliest_at, identifier) > ($4::timestamptz, $5::uuid))
     ORDER BY earliest_at, identifier
     LIMIT ${RESPONSES_PER_STEP}
   ) AS expired
   WHERE (campaign.organization_id, campaign.id) >= ($2, $3::uuid)
   ORDER BY campaign.organization_id, campaign.id, expired.earliest_at, expired.identifier
   LIMIT ${RESPONSES_PER_STEP}`,
);

/** $1 organization. Campaigns that responses have named, and none does any more. */
const FORGET_AWAITED = new Statement(
  {},
  `DELETE FROM survey.campaign WHERE organization_id = $1 AND status = 'awaited' AND NOT EXISTS (
     SELECT FROM survey.response WHERE organization_id = $1 AND campaign_id = campaign.id
   )`,
);

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const START = ['', NO_UUID, '-infinity', NO_UUID];

/** Responses expire so many days after their latest time. */
export function expiredResponses(dataSource: DataSource, keptDays: number): ExpiringData {
  return { area: surveyDatabase.name, keptDays, find, remove };

  async function find(manager: EntityManager, before: Date, after?: string): Promise<Expired | undefined> {
    const place = after === undefined ? START : (JSON.parse(after) as string[]);
    const found = await FIND_EXPIRED.run(manager, [before, ...place]);
    if (found.length === 0) return undefined;
    const { organizationId } = found[0]!;
    const own = found.filter((response) => response.organizationId === organizationId);
    return {
      organizationId,
      ids: own.map(({ identifier }) => identifier),
      place: JSON.stringify(Object.values(own.at(-1)!)),
    };
  }

  async function remove({ organizationId, ids }: Expired, before: Date): Promise<void> {
    await inSurveyTurn(dataSource, organizationId, async (manager) => {
      await new ResponseRepository(manager).removeAll(organizationId, ids, 'expired', before);
      await FORGET_AWAITED.run(manager, [organizationId]);
    });
  }
}
