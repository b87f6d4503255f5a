import { Injectable } from '@nestjs/common';
import {
  ChangeRepository,
  deleteRemovalsOf,
  type RemovalReason,
  REPLACES_REMOVAL,
  UNNUMBERED,
} from '@cxp/change-feed';
import { jsonColumn, Statement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { personKeysOfResponse } from '../erasure/person-keys';
import { isShown, NOTE_INTERACTIONS, type ShownCampaign } from '../campaigns/campaign.repository';
import { lastByKey } from '@cxp/platform-records';
import { COUNT_RESPONSES, finishBlocks, noteLastChanges, type UnfinishedBlocks } from './response-blocks';
import { feedKey, RESPONSE_FEED, responseDigest } from './response-feed';
import { latestTimeOf, type ResponseRecord } from './response-record';
import { LATEST_AT } from './survey-response';

/** SQL: removals of responses from the feed. @param reason SQL */
function insertRemovals(rows: string, reason: string): string {
  return `INSERT INTO survey.change_removal (organization_id, op, key, reason)
    SELECT $1, 'delete', ${feedKey('identifier')}, ${reason} FROM ${rows} ${REPLACES_REMOVAL}`;
}

/**
 * $1 organization, $2 responses as a JSON array, each once, with their digests, $3 interactions that responses of the same batch replaced.
 */
const UPSERT = `WITH record AS MATERIALIZED (
     SELECT record.*, known.identifier IS NOT NULL AS is_known, known.campaign_id AS known_campaign_id,
       known.earliest_at AS known_earliest_at, known.change AS known_change, known.digest AS known_digest,
       ${isShown('campaign')} AS is_shown, ${isShown('campaign')} AND record.digest IS DISTINCT FROM known.digest AS is_changed
     FROM json_to_recordset($2) AS record (
       identifier uuid, survey_campaign_id uuid,
       sent_timestamp timestamptz, sending_failed_timestamp timestamptz,
       opened_timestamp timestamptz, answered_timestamp timestamptz,
       user_name text, user_phone text, user_email text, source text, transaction_id text,
       tags json, metadata_mappings json, answers json, digest bigint, person_keys text[]
     )
     LEFT JOIN LATERAL (
       SELECT * FROM survey.response WHERE organization_id = $1 AND identifier = record.identifier OFFSET 0
     ) AS known ON TRUE
     LEFT JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = record.survey_campaign_id
     WHERE (
       known.campaign_id, known.sent_at, known.sending_failed_at, known.opened_at, known.answered_at,
       known.user_name, known.user_phone, known.user_email, known.source, known.transaction_id,
       known.tags::text, known.metadata_mappings::text, known.answers::text
     ) IS DISTINCT FROM (
       record.survey_campaign_id, record.sent_timestamp, record.sending_failed_timestamp,
       record.opened_timestamp, record.answered_timestamp,
       record.user_name, record.user_phone, record.user_email, record.source, record.transaction_id,
       record.tags::text, record.metadata_mappings::text, record.answers::text
     )
   ), told_removal AS (
     ${insertRemovals('record WHERE known_change IS NOT NULL AND NOT is_shown', "'removed'")}
   ), stored AS (
     INSERT INTO survey.response (
       organization_id, identifier, campaign_id, sent_at, sending_failed_at, opened_at, answered_at,
       user_name, user_phone, user_email, source, transaction_id, tags, metadata_mappings, answers, digest, person_keys, change
     )
     SELECT $1, identifier, survey_campaign_id, sent_timestamp, sending_failed_timestamp, opened_timestamp,
       answered_timestamp, user_name, user_phone, user_email, source, transaction_id, tags, metadata_mappings, answers,
       digest, person_keys, CASE
         WHEN NOT is_shown THEN NULL
         WHEN NOT is_changed THEN known_change
         ELSE ${UNNUMBERED}
       END
     FROM record
     ON CONFLICT (organization_id, identifier) DO UPDATE SET
       campaign_id = EXCLUDED.campaign_id,
       sent_at = EXCLUDED.sent_at,
       sending_failed_at = EXCLUDED.sending_failed_at,
       opened_at = EXCLUDED.opened_at,
       answered_at = EXCLUDED.answered_at,
       user_name = EXCLUDED.user_name,
       user_phone = EXCLUDED.user_phone,
       user_email = EXCLUDED.user_email,
       source = EXCLUDED.source,
       transaction_id = EXCLUDED.transaction_id,
       tags = EXCLUDED.tags,
       metadata_mappings = EXCLUDED.metadata_mappings,
       answers = EXCLUDED.answers,
       digest = EXCLUDED.digest,
       person_keys = EXCLUDED.person_keys,
       change = EXCLUDED.change
     RETURNING campaign_id, earliest_at, identifier, digest, change, ${LATEST_AT} AS latest_at
   ), interaction AS (
     SELECT campaign_id, latest_at AS interacted_at FROM stored
     UNION ALL
     SELECT * FROM json_to_recordset($3) AS replaced (campaign_id uuid, interacted_at timestamptz)
   ), noted_interaction AS (${NOTE_INTERACTIONS}), moved AS (
     SELECT known_campaign_id AS campaign_id, known_earliest_at AS earliest_at, identifier, known_digest AS digest,
       known_change AS change, -1 AS responses
     FROM record
     WHERE is_known
     UNION ALL
     SELECT campaign_id, earliest_at, identifier, digest, change, 1 FROM stored
   ), ${COUNT_RESPONSES}
   SELECT`;

const UNFINISHED = {
  large: jsonColumn<UnfinishedBlocks['large']>('counted.large'),
  unknown: jsonColumn<UnfinishedBlocks['unknown']>('counted.unknown'),
  emptied: jsonColumn<UnfinishedBlocks['emptied']>('counted.emptied'),
};

const UPSERTED = {
  ...UNFINISHED,
  /** The keys of responses that the feed has again. */
  back: jsonColumn<string[]>(`(
    SELECT coalesce(json_agg(removal.key), '[]') FROM record CROSS JOIN LATERAL (
      SELECT key FROM survey.change_removal
      WHERE organization_id = $1 AND op = 'delete' AND key = ${feedKey('record.identifier')} OFFSET 0
    ) AS removal
    WHERE is_changed
  )`),
};

/** Planning takes longer than storing a few of them. */
const UPSERT_FEW = new Statement(UPSERTED, (list) => `${UPSERT} ${list} FROM counted`, 'prepared');
const UPSERT_MANY = new Statement(UPSERTED, (list) => `${UPSERT} ${list} FROM counted`);

/** A larger batch is planned by itself. */
const MAX_PREPARED = 100;

/** $1 organization, $2 identifiers, $3 reason, $4 null, or only those whose latest time is before it. */
const REMOVE_ALL = new Statement(
  {
    ...UNFINISHED,
    identifiers: jsonColumn<string[]>("(SELECT coalesce(json_agg(identifier), '[]') FROM removed)"),
  },
  (list) => `WITH removed AS (
     DELETE FROM survey.response USING unnest($2::uuid[]) AS wanted (identifier)
     WHERE response.organization_id = $1 AND response.identifier = wanted.identifier
       AND ($4::timestamptz IS NULL OR ${LATEST_AT} < $4)
     RETURNING response.*
   ), moved AS (
     SELECT campaign_id, earliest_at, identifier, digest, change, -1 AS responses FROM removed
   ), ${COUNT_RESPONSES}, told_removal AS (${insertRemovals('removed WHERE change IS NOT NULL', '$3')})
   SELECT ${list} FROM counted`,
);

/** $1 organization, $2 campaigns. */
const SHOW = new Statement(
  {},
  `WITH shown AS (
     UPDATE survey.response SET change = ${UNNUMBERED} WHERE organization_id = $1 AND campaign_id = ANY ($2)
     RETURNING identifier
   )
   ${deleteRemovalsOf('survey', 'shown', feedKey('identifier'))}`,
);

/** $1 organization, $2 campaigns. */
const HIDE = new Statement(
  {},
  `WITH hidden AS (
     UPDATE survey.response SET change = NULL WHERE organization_id = $1 AND campaign_id = ANY ($2)
     RETURNING identifier
   )
   ${insertRemovals('hidden', "'removed'")}`,
);

/**
 * Responses, the counts of their blocks, the interactions of their campaigns and their changes, within a transaction that has the
 * organization's intake turn. What changes is unnumbered until `number`, the end of the transaction.
 */
@Injectable()
export class ResponseRepository {
  constructor(private readonly manager: EntityManager) {}

  /** The last record of an identifier counts. A record that equals the stored one is no change. */
  async storeAll(organizationId: string, records: readonly ResponseRecord[]): Promise<void> {
    const last = lastByKey(records, ({ identifier }) => identifier);
    const rows = last.map((record) => ({
      ...record,
      digest: responseDigest(record),
      person_keys: personKeysOfResponse(record),
    }));
    const interactions = last.length < records.length ? interactionsOf(records) : [];
    const statement = rows.length <= MAX_PREPARED ? UPSERT_FEW : UPSERT_MANY;
    const values = [organizationId, JSON.stringify(rows), JSON.stringify(interactions)];
    const stored = (await statement.first(this.manager, values))!;
    await new ChangeRepository(this.manager, RESPONSE_FEED.schema).deleteRemovals(
      organizationId,
      stored.back,
    );
    await finishBlocks(this.manager, organizationId, stored);
  }

  /**
   * Removes responses and their counts.
   * @param before only those whose latest time is before it
   * @returns the identifiers of those that were there
   */
  async removeAll(
    organizationId: string,
    identifiers: readonly string[],
    reason: RemovalReason,
    before?: Date,
  ): Promise<string[]> {
    if (identifiers.length === 0) return [];
    const values = [organizationId, identifiers, reason, before ?? null];
    const removed = (await REMOVE_ALL.first(this.manager, values))!;
    await finishBlocks(this.manager, organizationId, removed);
    return removed.identifiers;
  }

  /** Takes the responses of campaigns into the feed, or out of it. */
  async show(organizationId: string, campaigns: readonly ShownCampaign[]): Promise<void> {
    for (const [statement, isShown] of [
      [SHOW, true],
      [HIDE, false],
    ] as const) {
      const ids = campaigns.filter((campaign) => campaign.isShown === isShown).map(({ id }) => id);
      if (ids.length > 0) await statement.count(this.manager, [organizationId, ids]);
    }
  }

  /** Numbers the changes of the transaction, as its end. */
  async number(organizationId: string): Promise<void> {
    const before = await new ChangeRepository(this.manager, RESPONSE_FEED.schema).number(
      organizationId,
      RESPONSE_FEED,
    );
    if (before !== undefined) await noteLastChanges(this.manager, organizationId, before);
  }
}

interface Interaction {
  readonly campaign_id: string;
  readonly interacted_at: string;
}

/** Over all records, those that a later one replaces included: an interaction that was seen is never taken back. */
function interactionsOf(records: readonly ResponseRecord[]): Interaction[] {
  return records.map((record) => ({
    campaign_id: record.survey_campaign_id,
    interacted_at: latestTimeOf(record)!,
  }));
}
