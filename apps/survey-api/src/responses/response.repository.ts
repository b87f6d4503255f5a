import { Injectable } from '@nestjs/common';
import {
  advanceFeed,
  ChangeRepository,
  countMoved,
  type RemovalReason,
  REPLACES_REMOVAL,
} from '@cxp/change-feed';
import { lastByKey } from '@cxp/records';
import { listJson } from '@cxp/pagination';
import { Statement, textColumn, textsColumn } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { NOTE_INTERACTIONS } from '../campaigns/campaign.repository';
import {
  feedKey,
  LATEST_AT,
  latestTimeOf,
  MICROSECONDS,
  personKeysOf,
  RESPONSE_FEED,
  RESPONSE_FIELDS,
  responseDigest,
  type ResponseRecord,
} from './response-fields';

const { schema } = RESPONSE_FEED;

const COLUMNS = [
  { column: 'identifier', name: 'identifier', sqlType: 'uuid' },
  { column: 'campaign_id', name: 'survey_campaign_id', sqlType: 'uuid' },
  ...Object.entries(RESPONSE_FIELDS).map(([name, { column, sqlType }]) => ({ column, name, sqlType })),
  ...MICROSECONDS.map((column) => ({ column, name: column, sqlType: 'smallint' })),
  { column: 'digest', name: 'digest', sqlType: 'bigint' },
  { column: 'person_keys', name: 'person_keys', sqlType: 'text[]' },
];

const listOf = (textOf: (column: (typeof COLUMNS)[number]) => string) => COLUMNS.map(textOf).join(', ');

/**
 * Stores responses, buckets, interactions and changes, under the organization's lock. `$records` are distinct
 * responses with digests, `$replaced` interactions of responses that others of the same batch replaced.
 * @param condition SQL over `record` and the stored `known`: which responses to store
 */
function storing(condition: string): string {
  return `WITH record AS MATERIALIZED (
     SELECT record.*, known.campaign_id AS known_campaign_id, known.earliest_at AS known_earliest_at,
       known.digest AS known_digest, known.change AS known_change, record.digest IS DISTINCT FROM known.digest AS is_changed,
       -- Of those that are changed, in the order of their arrival.
       count(*) FILTER (WHERE record.digest IS DISTINCT FROM known.digest) OVER (ROWS UNBOUNDED PRECEDING) AS place
     FROM json_to_recordset($records) AS record (${listOf(({ name, sqlType }) => `${name} ${sqlType}`)})
     LEFT JOIN LATERAL (
       SELECT *, ${LATEST_AT} AS latest_at FROM survey.response
       WHERE organization_id = $organizationId AND identifier = record.identifier OFFSET 0
     ) AS known ON TRUE
     WHERE ${condition}
   ), feed AS (
     ${advanceFeed(schema, 'SELECT $organizationId, max(place) FROM record HAVING max(place) > 0')} RETURNING last
   ), stored AS (
     INSERT INTO survey.response (organization_id, ${listOf(({ column }) => column)}, change)
     SELECT $organizationId, ${listOf(({ name }) => name)},
       CASE WHEN is_changed THEN feed.last - (SELECT max(place) FROM record) + place ELSE known_change END
     FROM record LEFT JOIN feed ON TRUE
     ON CONFLICT (organization_id, identifier) DO UPDATE
       SET ${listOf(({ column }) => `${column} = EXCLUDED.${column}`)}, change = EXCLUDED.change
     RETURNING campaign_id, earliest_at, digest, ${LATEST_AT} AS latest_at
   ), interaction AS (
     SELECT campaign_id, latest_at AS interacted_at FROM stored
     UNION ALL
     SELECT campaign_id, interacted_at
     FROM json_to_recordset($replaced) AS replaced (identifier uuid, campaign_id uuid, interacted_at timestamptz)
     WHERE NOT EXISTS (
       SELECT FROM survey.response AS known
       WHERE known.organization_id = $organizationId AND known.identifier = replaced.identifier AND ${LATEST_AT} > replaced.interacted_at
     )
   ), noted_interaction AS (${NOTE_INTERACTIONS}), moved AS (
     SELECT known_campaign_id::text AS list, known_earliest_at AS time, known_digest AS digest, -1 AS rows
     FROM record WHERE known_change IS NOT NULL
     UNION ALL
     SELECT campaign_id::text, earliest_at, digest, 1 FROM stored
   ), ${countMoved(schema)}`;
}

/** Removals of responses that are stored again; few are. They are looked up before anything is stored. */
const STORED = {
  removals: textsColumn(`ARRAY(
    SELECT removal.key FROM record CROSS JOIN LATERAL (
      SELECT key FROM survey.change_removal
      WHERE organization_id = $organizationId AND op = 'delete' AND key = ${feedKey('record.identifier')} OFFSET 0
    ) AS removal WHERE known_change IS NULL
  )`),
};

/**
 * The digest covers all but tags and microseconds. An equal record is no change. A record with an earlier latest time was
 * delivered late.
 */
const IS_NEWS = `(known.digest, known.tags::text, ${MICROSECONDS.map((column) => `known.${column}`).join(', ')})
     IS DISTINCT FROM (record.digest, record.tags::text, ${MICROSECONDS.map((column) => `record.${column}`).join(', ')})
   AND (known.latest_at IS NULL OR known.latest_at <= GREATEST(
     record.sent_timestamp, record.sending_failed_timestamp, record.opened_timestamp, record.answered_timestamp
   ) + record.latest_microseconds * interval '1 microsecond')`;

const UPSERT = (list: string) => `${storing(IS_NEWS)} SELECT ${list}`;

const STORING = { organizationId: 'text', records: 'json', replaced: 'json' } as const;

/** Planning takes longer than storing a few responses. */
const UPSERT_FEW = new Statement(STORING, STORED, UPSERT, 'prepared');
const UPSERT_MANY = new Statement(STORING, STORED, UPSERT);

const MAX_PREPARED = 100;

const ADD = new Statement(
  STORING,
  STORED,
  (list) => `${storing('known.change IS NULL')} SELECT ${list}`,
  'prepared',
);

/** `$before`: null, or the time before which the latest time has to be. */
const REMOVE_ALL = new Statement(
  { organizationId: 'text', identifiers: 'uuid[]', reason: 'text', before: 'timestamptz | null' },
  { identifier: textColumn('identifier') },
  (list) => `WITH removed AS (
     DELETE FROM survey.response WHERE organization_id = $organizationId AND ctid = ANY (ARRAY(
       SELECT known.ctid FROM unnest($identifiers) AS wanted (identifier) CROSS JOIN LATERAL (
         SELECT ctid FROM survey.response WHERE organization_id = $organizationId AND identifier = wanted.identifier OFFSET 0
       ) AS known
     )) AND ($before IS NULL OR ${LATEST_AT} < $before)
     RETURNING identifier, campaign_id, earliest_at, digest
   ), feed AS (
     ${advanceFeed(schema, 'SELECT $organizationId, count(*) FROM removed HAVING count(*) > 0')} RETURNING last
   ), removal AS (
     INSERT INTO survey.change_removal (organization_id, op, key, reason, change)
     SELECT $organizationId, 'delete', ${feedKey('identifier')}, $reason, feed.last + 1 - row_number() OVER () FROM removed CROSS JOIN feed
     ${REPLACES_REMOVAL}
   ), moved AS (
     SELECT campaign_id::text AS list, earliest_at AS time, digest, -1 AS rows FROM removed
   ), ${countMoved(schema)}
   SELECT ${list} FROM removed`,
);

/** The transaction has to hold the organization's lock. */
@Injectable()
export class ResponseRepository {
  private readonly changes: ChangeRepository;

  constructor(private readonly manager: EntityManager) {
    this.changes = new ChangeRepository(manager, schema);
  }

  /**
   * Of one identifier the last record counts that is not older than an earlier one. A record that equals the stored one is no
   * change.
   */
  async storeAll(organizationId: string, records: readonly ResponseRecord[]): Promise<void> {
    if (records.length === 0) return;
    const inOrder = withoutOlder(records);
    const last = lastByKey(inOrder, ({ identifier }) => identifier);
    const interactions = last.length < inOrder.length ? interactionsOf(inOrder) : [];
    const statement = last.length <= MAX_PREPARED ? UPSERT_FEW : UPSERT_MANY;
    const values = { organizationId, records: await jsonOf(last), replaced: JSON.stringify(interactions) };
    const { removals } = (await statement.first(this.manager, values))!;
    await this.changes.deleteRemovals(organizationId, removals);
  }

  /** Stores only responses that are not stored yet; each is given once. */
  async add(organizationId: string, records: readonly ResponseRecord[]): Promise<void> {
    const { removals } = (await ADD.first(this.manager, {
      organizationId,
      records: await jsonOf(records),
      replaced: '[]',
    }))!;
    await this.changes.deleteRemovals(organizationId, removals);
  }

  /**
   * @param before limits the removal to responses with an earlier latest time
   * @returns the identifiers that existed
   */
  async removeAll(
    organizationId: string,
    identifiers: readonly string[],
    reason: RemovalReason,
    before?: Date,
  ): Promise<string[]> {
    if (identifiers.length === 0) return [];
    const removed = await REMOVE_ALL.run(this.manager, {
      organizationId,
      identifiers,
      reason,
      before,
    });
    return removed.map(({ identifier }) => identifier);
  }
}

/** An intake has up to 16 MiB and a million values: pg would make bytes of all in one step. */
function jsonOf(records: readonly ResponseRecord[]): Promise<Buffer> {
  return listJson('[', rowsOf(records), ']');
}

function* rowsOf(records: readonly ResponseRecord[]): Generator<string> {
  for (const record of records) {
    yield JSON.stringify({ ...record, digest: responseDigest(record), person_keys: personKeysOf(record) });
  }
}

/** Drops records with an earlier latest time than a previous record of the response. */
function withoutOlder(records: readonly ResponseRecord[]): ResponseRecord[] {
  const latest = new Map<string, string>();
  return records.filter((record) => {
    const time = latestTimeOf(record)!;
    if (time < (latest.get(record.identifier) ?? '')) return false;
    latest.set(record.identifier, time);
    return true;
  });
}

interface Interaction {
  readonly identifier: string;
  readonly campaign_id: string;
  readonly interacted_at: string;
}

/** Includes replaced records: an interaction is never taken back. */
function interactionsOf(records: readonly ResponseRecord[]): Interaction[] {
  return records.map((record) => ({
    identifier: record.identifier,
    campaign_id: record.survey_campaign_id,
    interacted_at: latestTimeOf(record)!,
  }));
}
