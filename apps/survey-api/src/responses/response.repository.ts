import { Injectable } from '@nestjs/common';
import { PreparedStatement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { lastByKey } from '@cxp/platform-records';
import type { Answers, JsonObject } from './answers';
import { COUNT_RESPONSES, ResponseBlockRepository, type Block } from './response-block.repository';
import { IS_HIDDEN, responseDigest } from './response-feed';

/** A response as its record describes it; times are ISO 8601 in UTC with milliseconds, at least one is given. */
export interface ResponseRecord {
  readonly identifier: string;
  readonly survey_campaign_id: string;
  readonly sent_timestamp: string | null;
  readonly sending_failed_timestamp: string | null;
  readonly opened_timestamp: string | null;
  readonly answered_timestamp: string | null;
  readonly user_name: string | null;
  readonly user_phone: string | null;
  readonly user_email: string | null;
  readonly source: string | null;
  readonly transaction_id: string | null;
  readonly tags: readonly string[];
  readonly metadata_mappings: JsonObject | null;
  readonly answers: Answers | null;
}

interface Upserted {
  readonly announced: number;
  readonly large: Block[];
}

/**
 * $1 organization, $2 responses as a JSON array, each once, with their digests and their places in the order of arrival. Planning
 * takes longer than storing a few of them.
 */
const UPSERT = new PreparedStatement<Upserted>(
  'upsert responses',
  `WITH record AS MATERIALIZED (
     SELECT record.*, response.identifier IS NOT NULL AS is_known, response.campaign_id AS known_campaign_id,
       response.earliest_at AS known_earliest_at, response.digest AS known_digest,
       response.feed_change AS known_feed_change, NOT ${IS_HIDDEN} AS is_in_feed,
       NOT ${IS_HIDDEN} AND record.digest IS DISTINCT FROM response.digest AS is_announced
     FROM json_to_recordset($2) AS record (
       identifier uuid, survey_campaign_id uuid,
       sent_timestamp timestamptz, sending_failed_timestamp timestamptz,
       opened_timestamp timestamptz, answered_timestamp timestamptz,
       user_name text, user_phone text, user_email text, source text, transaction_id text,
       tags json, metadata_mappings json, answers json, digest bigint, place integer
     )
     LEFT JOIN LATERAL (
       SELECT * FROM survey.response WHERE organization_id = $1 AND identifier = record.identifier OFFSET 0
     ) AS response ON TRUE
     LEFT JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = record.survey_campaign_id
     WHERE (
       response.campaign_id, response.sent_at, response.sending_failed_at, response.opened_at, response.answered_at,
       response.user_name, response.user_phone, response.user_email, response.source, response.transaction_id,
       response.tags::text, response.metadata_mappings::text, response.answers::text
     ) IS DISTINCT FROM (
       record.survey_campaign_id, record.sent_timestamp, record.sending_failed_timestamp,
       record.opened_timestamp, record.answered_timestamp,
       record.user_name, record.user_phone, record.user_email, record.source, record.transaction_id,
       record.tags::text, record.metadata_mappings::text, record.answers::text
     )
   ), counted AS (
     INSERT INTO survey.response_change AS counter (organization_id, latest)
     SELECT $1, count(*) FROM record
     ON CONFLICT (organization_id) DO UPDATE SET latest = counter.latest + EXCLUDED.latest
     RETURNING latest
   ), announced AS (
     INSERT INTO survey.change_feed AS feed (organization_id, last)
     SELECT $1, count(*) FROM record WHERE is_announced HAVING count(*) > 0
     ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + EXCLUDED.last
     RETURNING last
   ), restored AS (
     DELETE FROM survey.change_removal AS removal
     USING record, announced
     WHERE is_announced AND removal.organization_id = $1 AND removal.op = 'delete'
       AND removal.key = '{"identifier":"' || record.identifier || '"}'
   ), stored AS (
     INSERT INTO survey.response (
       organization_id, identifier, campaign_id, sent_at, sending_failed_at, opened_at, answered_at,
       user_name, user_phone, user_email, source, transaction_id, tags, metadata_mappings, answers,
       change, feed_change, digest, announced_change
     )
     SELECT $1, identifier, survey_campaign_id, sent_timestamp, sending_failed_timestamp, opened_timestamp,
       answered_timestamp, user_name, user_phone, user_email, source, transaction_id, tags, metadata_mappings, answers,
       change, CASE WHEN is_announced THEN new_feed_change ELSE known_feed_change END,
       CASE WHEN is_in_feed THEN digest ELSE known_digest END, CASE WHEN is_in_feed THEN change END
     FROM (
       SELECT record.*, counted.latest + 1 - row_number() OVER (ORDER BY place DESC) AS change,
         announced.last + 1 - row_number() OVER (PARTITION BY is_announced ORDER BY place DESC) AS new_feed_change
       FROM record CROSS JOIN counted LEFT JOIN announced ON is_announced
     ) AS numbered
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
       change = EXCLUDED.change,
       feed_change = EXCLUDED.feed_change,
       digest = EXCLUDED.digest,
       announced_change = EXCLUDED.announced_change
     RETURNING organization_id, campaign_id, earliest_at, identifier
   ), moved AS (
     SELECT $1 AS organization_id, known_campaign_id AS campaign_id, known_earliest_at AS earliest_at, identifier,
       -1 AS responses
     FROM record
     WHERE is_known
     UNION ALL
     SELECT stored.*, 1 FROM stored
   ), ${COUNT_RESPONSES}
   SELECT (SELECT count(*)::integer FROM record WHERE is_announced) AS announced,
     (SELECT coalesce(json_agg(large), '[]') FROM large) AS large`,
);

/** A larger batch is planned by itself. */
const MAX_PREPARED = 100;

@Injectable()
export class ResponseRepository {
  private readonly campaigns: CampaignRepository;
  private readonly blocks: ResponseBlockRepository;
  private announced = 0;

  constructor(private readonly manager: EntityManager) {
    this.campaigns = new CampaignRepository(manager);
    this.blocks = new ResponseBlockRepository(manager);
  }

  /** How many responses this repository has announced. */
  get announcedResponses(): number {
    return this.announced;
  }

  /**
   * Stores responses, numbers and announces the changes, counts them in their blocks and moves their campaigns' latest
   * interaction forward. Within a transaction that holds the organization's intake lock.
   */
  async storeAll(organizationId: string, records: readonly ResponseRecord[]): Promise<void> {
    const large = await this.upsert(
      organizationId,
      lastByKey(records, ({ identifier }) => identifier),
    );
    for (const block of large) await this.blocks.split(organizationId, block);
    await this.campaigns.noteInteractions(organizationId, latestInteractions(records));
  }

  /** As `storeAll`, but the first record of an identifier counts, and nothing changes a stored one. @returns how many were new */
  async storeNew(organizationId: string, records: readonly ResponseRecord[]): Promise<number> {
    const stored = await this.manager.query<{ identifier: string }[]>(
      'SELECT identifier FROM survey.response WHERE organization_id = $1 AND identifier = ANY($2::uuid[])',
      [organizationId, records.map(({ identifier }) => identifier)],
    );
    const known = new Set(stored.map(({ identifier }) => identifier));
    const unknown = records.filter(({ identifier }) => known.size < known.add(identifier).size);
    if (unknown.length > 0) await this.storeAll(organizationId, unknown);
    return unknown.length;
  }

  /** Removes responses and their counts. @returns those of them that were in the feed */
  async removeAll(organizationId: string, identifiers: readonly string[]): Promise<string[]> {
    const removed = await this.manager.query<{ identifier: string }[]>(
      `WITH removed AS (
         DELETE FROM survey.response USING unnest($2::uuid[]) AS wanted (identifier)
         WHERE response.organization_id = $1 AND response.identifier = wanted.identifier
         RETURNING response.*
       ), moved AS (
         SELECT organization_id, campaign_id, earliest_at, identifier, -1 AS responses FROM removed
       ), ${COUNT_RESPONSES}
       SELECT identifier FROM removed WHERE feed_change IS NOT NULL`,
      [organizationId, identifiers],
    );
    return removed.map(({ identifier }) => identifier);
  }

  /**
   * Changes are numbered in the order of the records. A record that says what is stored already is no change. A response whose row in the
   * feed stays the same keeps its number there. Those of hidden campaigns are left unannounced.
   * @returns blocks that have become large
   */
  private async upsert(organizationId: string, records: readonly ResponseRecord[]): Promise<Block[]> {
    const rows = records.map((record, place) => ({
      ...record,
      place,
      digest: responseDigest(record.survey_campaign_id, record),
    }));
    const values = [organizationId, JSON.stringify(rows)];
    const [stored] =
      records.length <= MAX_PREPARED
        ? await UPSERT.run(this.manager, values)
        : await this.manager.query<Upserted[]>(UPSERT.text, values);
    this.announced += stored!.announced;
    return stored!.large;
  }
}

/** Over all records, those that a later one replaces included: an interaction that was seen is never taken back. */
function latestInteractions(records: readonly ResponseRecord[]): Map<string, string> {
  const latest = new Map<string, string>();
  for (const record of records) {
    const times = [
      latest.get(record.survey_campaign_id),
      record.sent_timestamp,
      record.sending_failed_timestamp,
      record.opened_timestamp,
      record.answered_timestamp,
    ].filter((time) => typeof time === 'string');
    latest.set(record.survey_campaign_id, times.sort().at(-1)!);
  }
  return latest;
}
