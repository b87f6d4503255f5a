import { type ExpiringData, INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import { Statement, textColumn, UnscopedStatement } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { surveyDatabase } from '../database';
import { LATEST_AT } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';

/** Each step blocks the organization's intakes. */
const RESPONSES_PER_STEP = 500;

/**
 * After a position in the order of organizations, campaigns, earliest times and identifiers. The index of windows finds responses: each has a campaign, perhaps an awaited one, and is answered no earlier than its earliest
 * time.
 */
const FIND_EXPIRED = new UnscopedStatement(
  {
    before: 'timestamptz',
    organizationId: 'text',
    campaignId: 'uuid',
    earliestAt: 'timestamptz',
    earliestMicroseconds: 'smallint',
    identifier: 'uuid',
  },
  {
    organizationId: textColumn('expired.organization_id'),
    campaignId: textColumn('expired.campaign_id'),
    earliestAt: textColumn("to_char(expired.earliest_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS+00')"),
    earliestMicroseconds: textColumn('expired.earliest_microseconds'),
    identifier: textColumn('expired.identifier'),
  },
  (list) => `SELECT ${list}
   FROM survey.campaign CROSS JOIN LATERAL (
     SELECT organization_id, campaign_id, earliest_at, earliest_microseconds, identifier
     FROM survey.response
     WHERE organization_id = campaign.organization_id AND campaign_id = campaign.id
       AND earliest_at < $before AND ${LATEST_AT} < $before
       AND (
         (organization_id, campaign_id) <> ($organizationId, $campaignId)
         OR (earliest_at, earliest_microseconds, identifier) > ($earliestAt, $earliestMicroseconds, $identifier)
       )
     ORDER BY earliest_at, earliest_microseconds, identifier
     LIMIT ${RESPONSES_PER_STEP}
   ) AS expired
   WHERE (campaign.organization_id, campaign.id) >= ($organizationId, $campaignId)
   ORDER BY campaign.organization_id, campaign.id, expired.earliest_at, expired.earliest_microseconds, expired.identifier
   LIMIT ${RESPONSES_PER_STEP}`,
);

/** Deletes awaited campaigns that no response names any more. */
const FORGET_AWAITED = new Statement(
  { organizationId: 'text' },
  {},
  `DELETE FROM survey.campaign WHERE organization_id = $organizationId AND status = 'awaited' AND NOT EXISTS (
     SELECT FROM survey.response WHERE organization_id = $organizationId AND campaign_id = campaign.id
   )`,
);

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const START = {
  organizationId: '',
  campaignId: NO_UUID,
  earliestAt: '-infinity',
  earliestMicroseconds: '0',
  identifier: NO_UUID,
};

/** Responses expire after their latest time. */
export function expiredResponses(dataSource: DataSource): ExpiringData {
  return {
    async *find(manager, before) {
      for (let place = START; ;) {
        const found = await FIND_EXPIRED.run(manager, { before, ...place });
        const organizationId = found[0]?.organizationId;
        if (organizationId === undefined) return;
        const own = found.filter((response) => response.organizationId === organizationId);
        yield { organizationId, ids: own.map(({ identifier }) => identifier) };
        place = own.at(-1)!;
      }
    },
    remove({ organizationId, ids }, before) {
      const work = async (manager: EntityManager) => {
        await new ResponseRepository(manager).removeAll(organizationId, ids, 'expired', before);
        await FORGET_AWAITED.run(manager, { organizationId });
      };
      return withOrganizationLock(dataSource, surveyDatabase.name, organizationId, work, INTAKE_TIMEOUTS);
    },
  };
}
