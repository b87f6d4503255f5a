import type { EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { lastByKey } from '../records/last-by-key';
import type { Answers, JsonObject } from './answers';
import { ResponseBlockRepository, type BlockChange } from './response-block.repository';

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

export class ResponseRepository {
  private readonly campaigns: CampaignRepository;
  private readonly blocks: ResponseBlockRepository;

  constructor(private readonly manager: EntityManager) {
    this.campaigns = new CampaignRepository(manager);
    this.blocks = new ResponseBlockRepository(manager);
  }

  /**
   * Stores responses, numbers the changes, counts them in their blocks and moves their campaigns' latest interaction
   * forward. Within a transaction that holds the organization's intake lock.
   */
  async storeAll(organizationId: string, records: readonly ResponseRecord[]): Promise<void> {
    const changes = await this.upsert(
      organizationId,
      lastByKey(records, ({ identifier }) => identifier),
    );
    await this.blocks.apply(organizationId, changes);
    await this.campaigns.noteInteractions(organizationId, latestInteractions(records));
  }

  /** A record that says what is stored already is no change: whoever follows changes does not see it again. */
  private async upsert(organizationId: string, records: readonly ResponseRecord[]): Promise<BlockChange[]> {
    return this.manager.query<BlockChange[]>(
      `WITH record AS (
         SELECT record.*
         FROM json_to_recordset($2) AS record (
           identifier uuid, survey_campaign_id uuid,
           sent_timestamp timestamptz, sending_failed_timestamp timestamptz,
           opened_timestamp timestamptz, answered_timestamp timestamptz,
           user_name text, user_phone text, user_email text, source text, transaction_id text,
           tags json, metadata_mappings json, answers json
         )
         LEFT JOIN survey.response ON response.organization_id = $1 AND response.identifier = record.identifier
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
       ), preceding AS (
         INSERT INTO survey.response_change AS counter (organization_id, latest)
         SELECT $1, count(*) FROM record
         ON CONFLICT (organization_id) DO UPDATE SET latest = counter.latest + EXCLUDED.latest
         RETURNING latest - (SELECT count(*) FROM record) AS changes
       ), replaced AS (
         SELECT response.campaign_id, response.earliest_at, response.identifier
         FROM survey.response JOIN record USING (identifier)
         WHERE response.organization_id = $1
       ), stored AS (
         INSERT INTO survey.response (
           organization_id, identifier, campaign_id, sent_at, sending_failed_at, opened_at, answered_at,
           user_name, user_phone, user_email, source, transaction_id, tags, metadata_mappings, answers, change
         )
         SELECT $1, record.*, preceding.changes + row_number() OVER () FROM record CROSS JOIN preceding
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
           change = EXCLUDED.change
         RETURNING campaign_id, earliest_at, identifier
       )
       SELECT *, -1 AS responses FROM replaced
       UNION ALL
       SELECT *, 1 AS responses FROM stored`,
      [organizationId, JSON.stringify(records)],
    );
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
