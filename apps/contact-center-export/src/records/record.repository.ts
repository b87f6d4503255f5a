import type { RecordKey } from '@cxp/erasure';
import {
  nullable,
  numberColumn,
  type OrganizationParameters,
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

/** In the order of their arrival. Records that are stored already are not written. */
const STORE = new Statement(
  { organizationId: 'text', records: 'json' },
  { type: textColumn('stored.type'), id: textColumn('stored.id') },
  (list) => `INSERT INTO ${TABLE} AS stored
     (organization_id, type, id, conversation_id, at, data, bytes, created_at, person_keys)
   SELECT $organizationId, type, id, "conversationId", at, data, octet_length(data::text), "createdAt", "personKeys"
   FROM ROWS FROM (json_to_recordset($records) AS (
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

const KEYS = { organizationId: 'text', types: 'text[]', ids: 'text[]' } as const;
/** The row of each key. OFFSET 0 forces a lookup of the primary key for each. */
const OF_KEYS = `unnest($types, $ids) AS wanted (type, id) CROSS JOIN LATERAL (
    SELECT *, ctid FROM ${TABLE} WHERE organization_id = $organizationId AND type = wanted.type AND id = wanted.id OFFSET 0
  ) AS stored`;
const FIND = new Statement(KEYS, FOUND, (list) => `SELECT ${list} FROM ${OF_KEYS}`);

const CONVERSATIONS = { organizationId: 'text', ids: 'text[]' } as const;
/** The records of each of the conversations. OFFSET 0 forces an index lookup for each id. */
const ofConversations = (condition: string) => `unnest($ids) AS wanted (id) CROSS JOIN LATERAL (
    SELECT * FROM ${TABLE} WHERE organization_id = $organizationId AND conversation_id = wanted.id AND data IS NOT NULL ${condition}
  ) AS stored`;

const COUNT_KINDS = new Statement(
  CONVERSATIONS,
  { type: FOUND.type, count: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM ${ofConversations('OFFSET 0')} GROUP BY stored.type`,
);
const TICKETS = new Statement(
  CONVERSATIONS,
  { type: FOUND.type, id: FOUND.id },
  (list) => `SELECT ${list} FROM ${ofConversations(`AND type = 'ticket' OFFSET 0`)}`,
);

/**
 * An earlier kept removal stays.
 * @param places SQL: the `ctid` of each
 */
function removing<Own extends OrganizationParameters>(parameters: Own, places: string) {
  const isFound = `organization_id = $organizationId AND ctid = ANY (ARRAY(${places}))`;
  return [
    new Statement(
      parameters,
      {},
      `UPDATE ${TABLE}
       SET conversation_id = NULL, at = NULL, data = NULL, bytes = 0, created_at = NULL, person_keys = NULL
       WHERE ${isFound} AND removed_version IS NOT NULL`,
    ),
    new Statement(parameters, {}, `DELETE FROM ${TABLE} WHERE ${isFound} AND removed_version IS NULL`),
  ];
}

const REMOVE = removing(KEYS, `SELECT stored.ctid FROM ${OF_KEYS}`);
const REMOVE_CONVERSATIONS = removing(
  CONVERSATIONS,
  `
  SELECT stored.ctid FROM unnest($ids) AS wanted (id) CROSS JOIN LATERAL (
    SELECT ctid FROM ${TABLE} WHERE organization_id = $organizationId AND conversation_id = wanted.id OFFSET 0
  ) AS stored`,
);

const KEEP_REMOVALS = new Statement(
  { organizationId: 'text', types: 'text[]', ids: 'text[]', versions: 'timestamptz[]' },
  {},
  `INSERT INTO ${TABLE} AS stored (organization_id, type, id, removed_version, removed_at)
   SELECT $organizationId, type, id, max(version), clock_timestamp()
   FROM unnest($types, $ids, $versions) AS removal (type, id, version)
   GROUP BY type, id
   ON CONFLICT (organization_id, type, id) DO UPDATE
     SET removed_version = GREATEST(stored.removed_version, excluded.removed_version), removed_at = excluded.removed_at`,
);

const ADD_AWAITED = new Statement(
  { organizationId: 'text', ids: 'text[]', times: 'timestamptz[]' },
  {},
  `INSERT INTO ${TABLE} AS stored (organization_id, type, id, conversation_id, at, created_at)
   SELECT $organizationId, 'conversation', id, id, at, at FROM unnest($ids, $times) AS awaited (id, at)
   ON CONFLICT (organization_id, type, id) DO UPDATE
     SET conversation_id = excluded.id, at = excluded.at, created_at = excluded.at, stored_at = excluded.stored_at
     WHERE stored.data IS NULL`,
);

const ORGANIZATIONS_TO_PRUNE = new UnscopedStatement(
  { before: 'timestamptz' },
  { organizationId: textColumn('organization_id') },
  (list) => `SELECT DISTINCT ${list} FROM ${TABLE} WHERE removed_at < $before`,
);

const OLDEST_REMOVALS = `WHERE organization_id = $organizationId AND removed_at < $before AND (type, id) IN (
    SELECT type, id FROM ${TABLE} WHERE organization_id = $organizationId AND removed_at < $before ORDER BY removed_at LIMIT $limit
  )`;
const PRUNING = { organizationId: 'text', before: 'timestamptz', limit: 'integer' } as const;
const PRUNE = [
  new Statement(PRUNING, {}, `DELETE FROM ${TABLE} ${OLDEST_REMOVALS} AND conversation_id IS NULL`),
  new Statement(
    PRUNING,
    {},
    `UPDATE ${TABLE} SET removed_version = NULL, removed_at = NULL ${OLDEST_REMOVALS} AND conversation_id IS NOT NULL`,
  ),
];

/** One table, by type and id. Writers hold the organization's lock, so that what they found, and its `ctid`, stays. */
export class RecordRepository {
  constructor(private readonly manager: EntityManager) {}

  async find(organizationId: string, keys: readonly RecordKey[]): Promise<FoundRecord[]> {
    return keys.length > 0 ? FIND.run(this.manager, { organizationId, ...columnsOf(keys) }) : [];
  }

  async countKinds(organizationId: string, ids: readonly string[]): Promise<Record<string, number>> {
    const counted = await COUNT_KINDS.run(this.manager, { organizationId, ids });
    return Object.fromEntries(counted.map(({ type, count }) => [KINDS[type], count]));
  }

  async ticketsOf(organizationId: string, ids: readonly string[]): Promise<RecordKey[]> {
    return TICKETS.run(this.manager, { organizationId, ids });
  }

  /**
   * Replaces stored records; the given ones have different keys.
   * @returns the keys of those that were not stored already
   */
  async store(organizationId: string, records: readonly StoredRecord[]): Promise<RecordKey[]> {
    const changed: RecordKey[] = [];
    for (const some of jsonArrays(records, recordJson)) {
      changed.push(...(await STORE.run(this.manager, { organizationId, records: some })));
      await yieldToEventLoop();
    }
    return changed;
  }

  async remove(organizationId: string, keys: readonly RecordKey[]): Promise<FoundRecord[]> {
    const found = await this.find(organizationId, keys);
    const values = { organizationId, ...columnsOf(found) };
    if (found.length > 0) for (const statement of REMOVE) await statement.run(this.manager, values);
    return found;
  }

  async removeConversations(organizationId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const statement of REMOVE_CONVERSATIONS) await statement.run(this.manager, { organizationId, ids });
  }

  /** Stores from when on an upsert of a removed key counts again. */
  async keepRemovals(
    organizationId: string,
    removals: readonly (RecordKey & { readonly version: string })[],
  ): Promise<void> {
    if (removals.length === 0) return;
    const versions = removals.map(({ version }) => version);
    await KEEP_REMOVALS.run(this.manager, { organizationId, ...columnsOf(removals), versions });
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
    await ADD_AWAITED.run(this.manager, { organizationId, ids: awaited.map(({ id }) => id), times });
  }

  async organizationsToPrune(before: Date): Promise<string[]> {
    const found = await ORGANIZATIONS_TO_PRUNE.run(this.manager, { before });
    return found.map(({ organizationId }) => organizationId);
  }

  /** Deletes the oldest removals; the next run deletes the rest. */
  async prune(organizationId: string, before: Date, limit = FORGOTTEN_AT_ONCE): Promise<void> {
    for (const statement of PRUNE) await statement.run(this.manager, { organizationId, before, limit });
  }
}

function columnsOf(keys: readonly RecordKey[]) {
  return { types: keys.map(({ type }) => type), ids: keys.map(({ id }) => id) };
}

function recordJson({ data, ...others }: StoredRecord): string {
  return `${JSON.stringify(others).slice(0, -1)},"data":${data}}`;
}
