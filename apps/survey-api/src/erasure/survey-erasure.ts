import { ChangeRepository } from '@cxp/change-feed';
import { type ErasureArea, type ExpiringData, sumOf } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import { Statement, textColumn, UnscopedStatement } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { surveyDatabase } from '../database';
import { countLinks, eraseLinks, findLinks, LINK_FIELD } from '../links/erased-links';
import { countResponses, eraseResponses, findResponses, RESPONSE_FIELD } from '../responses/erased-responses';
import { RESPONSE_FEED } from '../responses/response-feed';
import { LATEST_AT } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';

/** Each step blocks the organization's intakes. */
const RESPONSES_PER_STEP = 500;

function underIntakeLock<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return withOrganizationLock(dataSource, surveyDatabase.name, organizationId, work, INTAKE_TIMEOUTS);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Area C erases responses, and metadata fields of links and of other people's responses. It has no user ids.
 * @param keptDays undefined: responses do not expire
 */
export function surveyErasure(dataSource: DataSource, keptDays?: number): ErasureArea {
  return {
    name: surveyDatabase.name,
    schema: surveyDatabase.schema,
    kinds: ['responses', 'links', 'metadataValues'],
    keyTypes: {
      survey_response: UUID,
      metadata_value: new RegExp(`${LINK_FIELD.source}|${RESPONSE_FIELD.source}`, 's'),
    },
    transaction: (organizationId, work) => underIntakeLock(dataSource, organizationId, work),
    async *count(manager, organizationId, subject) {
      yield* countResponses(manager, organizationId, subject);
      yield* countLinks(manager, organizationId, subject);
    },
    async find(manager, organizationId, subject, requestedAt) {
      const responses = await findResponses(manager, organizationId, subject);
      return responses.length > 0 ? responses : findLinks(manager, organizationId, subject, requestedAt);
    },
    async erase(manager, organizationId, keys, requestedAt) {
      const responses = await eraseResponses(manager, organizationId, keys);
      const links = await eraseLinks(manager, organizationId, keys, requestedAt);
      return { found: sumOf(responses.found, links.found), left: [...responses.left, ...links.left] };
    },
    lastChange: (manager, organizationId) =>
      new ChangeRepository(manager, RESPONSE_FEED.schema).last(organizationId),
    expiring: keptDays === undefined ? undefined : expiredResponses(dataSource, keptDays),
  };
}

/**
 * $1 the instant of expiry, $2 to $6 the position: organization, campaign, earliest time, its microseconds, and identifier. The
 * index of windows finds responses: each has a campaign, perhaps an awaited one, and is answered no earlier than its earliest
 * time.
 */
const FIND_EXPIRED = new UnscopedStatement(
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
       AND earliest_at < $1 AND ${LATEST_AT} < $1
       AND (
         (organization_id, campaign_id) <> ($2, $3::uuid)
         OR (earliest_at, earliest_microseconds, identifier) > ($4::timestamptz, $5::smallint, $6::uuid)
       )
     ORDER BY earliest_at, earliest_microseconds, identifier
     LIMIT ${RESPONSES_PER_STEP}
   ) AS expired
   WHERE (campaign.organization_id, campaign.id) >= ($2, $3::uuid)
   ORDER BY campaign.organization_id, campaign.id, expired.earliest_at, expired.earliest_microseconds, expired.identifier
   LIMIT ${RESPONSES_PER_STEP}`,
);

/** $1 organization. Deletes awaited campaigns that no response names any more. */
const FORGET_AWAITED = new Statement(
  {},
  `DELETE FROM survey.campaign WHERE organization_id = $1 AND status = 'awaited' AND NOT EXISTS (
     SELECT FROM survey.response WHERE organization_id = $1 AND campaign_id = campaign.id
   )`,
);

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const START = ['', NO_UUID, '-infinity', '0', NO_UUID];

/** Responses expire after their latest time. */
function expiredResponses(dataSource: DataSource, keptDays: number): ExpiringData {
  return {
    keptDays,
    async *find(manager, before) {
      for (let place = START; ;) {
        const found = await FIND_EXPIRED.run(manager, [before, ...place]);
        const organizationId = found[0]?.organizationId;
        if (organizationId === undefined) return;
        const own = found.filter((response) => response.organizationId === organizationId);
        yield { organizationId, ids: own.map(({ identifier }) => identifier) };
        place = Object.values(own.at(-1)!);
      }
    },
    remove: ({ organizationId, ids }, before) =>
      underIntakeLock(dataSource, organizationId, async (manager) => {
        await new ResponseRepository(manager).removeAll(organizationId, ids, 'expired', before);
        await FORGET_AWAITED.run(manager, [organizationId]);
      }),
  };
}
