import type { RecordKey } from '@cxp/erasure';
import {
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  UnscopedStatement,
  yieldToEventLoop,
  utcTimeSql,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { jsonArrays } from '../database';
import { KINDS, type StoredRecordType, type StoredRecord } from './stored-record';

const TABLE = 'contact_center.record';

/** An organization's intakes wait while one run forgets this many removals. */
const FORGOTTEN_AT_ONCE = 5_000;

/** $2 records as a JSON array, in the order of their arrival. Records that are stored already are not written. */
const STORE = new Statement(
  { type: textColumn('stored.type'), id: textColumn('stored.id') },
  (list) => `INSERT INTO ${TABLE} AS stored
     (organization_id, type, id, conversation_id, at, data, bytes, created_at, person_keys)
   SELECT $1, type, id, "conversationId", at, data, octet_length(data::text), "createdAt", "personKeys"
   FROM ROWS FROM (json_to_recordset($2) AS (
     type text, id text, "conversationId" text, at timestamptz, data json, "createdAt" timestamptz, "personKeys" text[]
   )) WITH ORDINALITY AS record
   ORDER BY ordinality
   ON CONFLICT (organization_id, type, id) DO UPDATE
     SET conversation_id = excluded.conversation_id, at = excluded.at, data = excluded.data, bytes = excluded.bytes,
       created_at = excluded.created_at, person_keys = excluded.person_keys, stored_at = excluded.stored_at
     WHERE (stored.conversation_id, stored.at, stored.data::text, stored.created_at, stored.person_keys) IS DISTINCT FROM
       (excluded.conversation_id, excluded.at, excluded.data::text, excluded.created_at, excluded.person_keys)
   RETURNING ${list}`,
);

const FOUND = {
  type: textColumn<StoredRecordType>('stored.type'),
  id: textColumn('stored.id'),
  /** null for the removal of a record. */
  conversationId: nullable(textColumn('stored.conversation_id')),
  /** Older records of the key do not count; null for types without versions. */
  version: nullable(
    textColumn(
      utcTimeSql('GREATEST(CASE WHEN stored.data IS NOT NULL THEN stored.at END, stored.removed_version)'),
    ),
  ),
  /** Of a kept removal. */
  removedVersion: nullable(textColumn(utcTimeSql('stored.removed_version'))),
};

export type FoundRecord = RowOf<typeof FOUND>;

/** The row of each key. $2 types, $3 ids. OFFSET 0 forces a lookup of the primary key for each. */
const OF_KEYS = `unnest($2::text[], $3::text[]) AS wanted (type, id) CROSS JOIN LATERAL (
    SELECT *, ctid FROM ${TABLE} WHERE organization_id = $1 AND type = wanted.type AND id = wanted.id OFFSET 0
  ) AS stored`;
const FIND = new Statement(FOUND, (list) => `SELECT ${list} FROM ${OF_KEYS}`);

/** The records of each of the conversations $2. OFFSET 0 forces an index lookup for each id. */
const ofConversations = (condition: string) => `unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT * FROM ${TABLE} WHERE organization_id = $1 AND conversation_id = wanted.id AND data IS NOT NULL ${condition}
  ) AS stored`;

const COUNT_KINDS = new Statement(
  { type: FOUND.type, count: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM ${ofConversations('OFFSET 0')} GROUP BY stored.type`,
);
const TICKETS = new Statement(
  { type: FOUND.type, id: FOUND.id },
  (list) => `SELECT ${list} FROM ${ofConversations(`AND type = 'ticket' OFFSET 0`)}`,
);

/**
 * An earlier kept removal stays.
 * @param places SQL: the `ctid` of each
 */
function removing(places: string) {
  const isFound = `organization_id = $1 AND ctid = ANY (ARRAY(${places}))`;
  return [
    new Statement(
      {},
      `UPDATE ${TABLE}
       SET conversation_id = NULL, at = NULL, data = NULL, bytes = 0, created_at = NULL, person_keys = NULL
       WHERE ${isFound} AND removed_version IS NOT NULL`,
    ),
    new Statement({}, `DELETE FROM ${TABLE} WHERE ${isFound} AND removed_version IS NULL`),
  ];
}

const REMOVE = removing(`SELECT stored.ctid FROM ${OF_KEYS}`);
const REMOVE_CONVERSATIONS = removing(`
  SELECT stored.ctid FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT ctid FROM ${TABLE} WHERE organization_id = $1 AND conversation_id = wanted.id OFFSET 0
  ) AS stored`);

const KEEP_REMOVALS = new Statement(
  {},
  `INSERT INTO ${TABLE} AS stored (organization_id, type, id, removed_version, removed_at)
   SELECT $1, type, id, max(version), clock_timestamp()
   FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS removal (type, id, version)
   GROUP BY type, id
   ON CONFLICT (organization_id, type, id) DO UPDATE
     SET removed_version = GREATEST(stored.removed_version, excluded.removed_version), removed_at = excluded.removed_at`,
);

const ADD_AWAITED = new Statement(
  {},
  `INSERT INTO ${TABLE} AS stored (organization_id, type, id, conversation_id, at, created_at)
   SELECT $1, 'conversation', id, id, at, at FROM unnest($2::text[], $3::timestamptz[]) AS awaited (id, at)
   ON CONFLICT (organization_id, type, id) DO UPDATE
     SET conversation_id = excluded.id, at = excluded.at, created_at = excluded.at, stored_at = excluded.stored_at
     WHERE stored.data IS NULL`,
);

const ORGANIZATIONS_TO_PRUNE = new UnscopedStatement(
  { organizationId: textColumn('organization_id') },
  (list) => `SELECT DISTINCT ${list} FROM ${TABLE} WHERE removed_at < $1`,
);

const OLDEST_REMOVALS = `WHERE organization_id = $1 AND removed_at < $2 AND (type, id) IN (
    SELECT type, id FROM ${TABLE} WHERE organization_id = $1 AND removed_at < $2 ORDER BY removed_at LIMIT $3
  )`;
const PRUNE = [
  new Statement({}, `DELETE FROM ${TABLE} ${OLDEST_REMOVALS} AND conversation_id IS NULL`),
  new Statement(
    {},
    `UPDATE ${TABLE} SET removed_version = NULL, removed_at = NULL ${OLDEST_REMOVALS} AND conversation_id IS NOT NULL`,
  ),
];

/** One table, by type and id. Writers hold the organization's lock, so that what they found, and its `ctid`, stays. */
export class RecordRepository {
  constructor(private readonly manager: EntityManager) {}

  async find(organizationId: string, keys: readonly RecordKey[]): Promise<FoundRecord[]> {
    return keys.length > 0 ? FIND.run(this.manager, [organizationId, ...columnsOf(keys)]) : [];
  }

  async countKinds(organizationId: string, ids: readonly string[]): Promise<Record<string, number>> {
    const counted = await COUNT_KINDS.run(this.manager, [organizationId, ids]);
    return Object.fromEntries(counted.map(({ type, count }) => [KINDS[type], count]));
  }

  async ticketsOf(organizationId: string, ids: readonly string[]): Promise<RecordKey[]> {
    return TICKETS.run(this.manager, [organizationId, ids]);
  }

  /**
   * Replaces stored records; the given ones have different keys.
   * @returns the keys of those that were not stored already
   */
  async store(organizationId: string, records: readonly StoredRecord[]): Promise<RecordKey[]> {
    const changed: RecordKey[] = [];
    for (const some of jsonArrays(records, recordJson)) {
      changed.push(...(await STORE.run(this.manager, [organizationId, some])));
      await yieldToEventLoop();
    }
    return changed;
  }

  async remove(organizationId: string, keys: readonly RecordKey[]): Promise<FoundRecord[]> {
    const found = await this.find(organizationId, keys);
    const values = [organizationId, ...columnsOf(found)] as const;
    if (found.length > 0) for (const statement of REMOVE) await statement.run(this.manager, values);
    return found;
  }

  async removeConversations(organizationId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const statement of REMOVE_CONVERSATIONS) await statement.run(this.manager, [organizationId, ids]);
  }

  /** Stores from when on an upsert of a removed key counts again. */
  async keepRemovals(
    organizationId: string,
    removals: readonly (RecordKey & { readonly version: string })[],
  ): Promise<void> {
    if (removals.length === 0) return;
    const versions = removals.map(({ version }) => version);
    await KEEP_REMOVALS.run(this.manager, [organizationId, ...columnsOf(removals), versions]);
  }

  /**
   * Stores conversations that are named and have not arrived: if they never do, their records expire by the latest of their
   * times.
   */
  async addAwaited(
    organizationId: string,
    awaited: readonly { readonly id: string; readonly lastAt: Date }[],
  ): Promise<void> {
    if (awaited.length === 0) return;
    const times = awaited.map(({ lastAt }) => lastAt);
    await ADD_AWAITED.run(this.manager, [organizationId, awaited.map(({ id }) => id), times]);
  }

  async organizationsToPrune(before: Date): Promise<string[]> {
    const found = await ORGANIZATIONS_TO_PRUNE.run(this.manager, [before]);
    return found.map(({ organizationId }) => organizationId);
  }

  /** Deletes the oldest removals; the next run deletes the rest. */
  async prune(organizationId: string, before: Date, atOnce = FORGOTTEN_AT_ONCE): Promise<void> {
    for (const statement of PRUNE) await statement.run(this.manager, [organizationId, before, atOnce]);
  }
}

function columnsOf(keys: readonly RecordKey[]): readonly (readonly string[])[] {
  return [keys.map(({ type }) => type), keys.map(({ id }) => id)];
}

function recordJson({ data, ...others }: StoredRecord): string {
  return `${JSON.stringify(others).slice(0, -1)},"data":${data}}`;
}
