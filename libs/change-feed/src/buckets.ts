import { inPieces, memoize, numberColumn, Statement, textColumn, DAY_MS, type ValuesOf } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

const QUARTER_MS = 15 * 60 * 1000;

const CHUNK_BUCKETS = 5_000;

/** The table `bucket` of the schema counts its rows per quarter of an hour. Columns are SQL. */
export interface BucketedTable {
  readonly schema: string;
  readonly table: string;
  readonly list: string;
  /**
   * The condition has to match an index.
   * @param list SQL of the list's text
   */
  readonly isInList: (list: string) => string;
  readonly time: string;
  /** The order of rows, beginning with the time: columns of an index after the organization. */
  readonly order: readonly string[];
}

export function isWholeBuckets(...instants: readonly number[]): boolean {
  return instants.every((instant) => instant % QUARTER_MS === 0);
}

interface BucketChange {
  readonly list: string;
  readonly at: number;
  rows: number;
  digest: bigint;
}

export class BucketChanges {
  private readonly changes = new Map<string, BucketChange>();

  /**
   * @param by 1 for an added row, -1 for a removed one
   * @param time in milliseconds since 1970
   */
  note(list: string, time: number, digest: bigint, by: 1 | -1): void {
    const at = Math.floor(time / QUARTER_MS) * QUARTER_MS;
    const key = `${at} ${list}`;
    const change = this.changes.get(key) ?? { list, at, rows: 0, digest: 0n };
    change.rows += by;
    change.digest ^= digest;
    this.changes.set(key, change);
  }

  /** Runs in the transaction that changes the rows, under the organization's lock. */
  async store(manager: EntityManager, schema: string, organizationId: string): Promise<void> {
    const changed = [...this.changes.values()].filter(({ rows, digest }) => rows !== 0 || digest !== 0n);
    const { add, deleteEmpty } = statementsOf(schema);
    for (const some of inPieces(changed, CHUNK_BUCKETS)) {
      const lists = some.map(({ list }) => list);
      const startsAt = some.map(({ at }) => new Date(at));
      const rows = some.map((change) => change.rows);
      const digests = some.map(({ digest }) => String(digest));
      await add.run(manager, { organizationId, lists, startsAt, rows, digests });
      if (Math.min(...rows) < 0) await deleteEmpty.run(manager, { organizationId, lists, startsAt });
    }
    this.changes.clear();
  }
}

/** The caller holds the organization's lock. */
export async function rebuildBuckets(
  manager: EntityManager,
  { schema, table, list, time }: BucketedTable,
  organizationId: string,
): Promise<void> {
  const ofOrganization = { organizationId: 'text' } as const;
  await new Statement(
    ofOrganization,
    {},
    `DELETE FROM ${schema}.bucket WHERE organization_id = $organizationId`,
  ).run(manager, { organizationId });
  await new Statement(
    ofOrganization,
    {},
    `INSERT INTO ${schema}.bucket (organization_id, list, starts_at, rows, digest)
     SELECT organization_id, ${list}, date_bin('15 minutes', ${time}, 'epoch'), count(*), bit_xor(digest)
     FROM ${table} WHERE organization_id = $organizationId GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  ).run(manager, { organizationId });
}

/**
 * CTEs for a statement that changes rows under the organization's lock. `moved (list, time, digest, rows)` has each added
 * (`rows` 1) or removed (-1) row.
 */
export function countMoved(schema: string): string {
  return `counted AS MATERIALIZED (
      SELECT change.list, change.starts_at, coalesce(known.rows, 0) + change.rows AS rows,
        coalesce(known.digest, 0) # change.digest AS digest
      FROM (
        SELECT list, date_bin('15 minutes', time, 'epoch') AS starts_at, sum(rows)::integer AS rows, bit_xor(digest) AS digest
        FROM moved GROUP BY 1, 2
      ) AS change
      LEFT JOIN LATERAL (
        SELECT rows, digest FROM ${schema}.bucket
        WHERE organization_id = $organizationId AND list = change.list AND starts_at = change.starts_at OFFSET 0
      ) AS known ON TRUE
    ), emptied AS (
      DELETE FROM ${schema}.bucket AS bucket USING counted
      WHERE bucket.organization_id = $organizationId AND bucket.list = counted.list AND bucket.starts_at = counted.starts_at AND counted.rows = 0
    ), filled AS (
      INSERT INTO ${schema}.bucket (organization_id, list, starts_at, rows, digest)
      SELECT $organizationId, list, starts_at, rows, digest FROM counted WHERE rows > 0
      ON CONFLICT (organization_id, list, starts_at) DO UPDATE SET rows = excluded.rows, digest = excluded.digest
    )`;
}

/** `page` has the keys of one page; `total` counts all pages. */
export interface PageSql {
  readonly page: string;
  readonly total: string;
}

/** Of statements with a `PageSql`. */
export const PAGE_PARAMETERS = {
  organizationId: 'text',
  list: 'text',
  startsAt: 'timestamptz',
  endsAt: 'timestamptz',
  offset: 'bigint',
  limit: 'bigint',
} as const;

export function pageValues(
  organizationId: string,
  list: string,
  window: { readonly startsAt: number; readonly endsAt: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): ValuesOf<typeof PAGE_PARAMETERS> {
  const { startsAt, endsAt } = window;
  return { organizationId, list, startsAt: new Date(startsAt), endsAt: new Date(endsAt), offset, limit };
}

/**
 * For windows of whole buckets without conditions: every page costs the same. Days are summed up to the one in which the page
 * starts, and buckets only within it.
 */
export function bucketPage({ schema, table, isInList, time, order }: BucketedTable): PageSql {
  const ofWindow = `FROM ${schema}.bucket WHERE organization_id = $organizationId AND list = $list AND starts_at < $endsAt`;
  return {
    page: `WITH day AS MATERIALIZED (
        SELECT starts_at, rows, sum(rows) OVER (ORDER BY starts_at)::bigint AS through FROM (
          SELECT date_bin('1 day', starts_at, $startsAt) AS starts_at, sum(rows) AS rows ${ofWindow} AND starts_at >= $startsAt GROUP BY 1
        ) AS day
      ), page AS MATERIALIZED (
        SELECT key.* FROM (
          SELECT starts_at, $offset - (through - rows) AS skipped FROM day WHERE through > $offset
          ORDER BY starts_at LIMIT 1
        ) AS first_day CROSS JOIN LATERAL (
          SELECT starts_at, first_day.skipped - (through - rows) AS skipped FROM (
            SELECT starts_at, rows, sum(rows) OVER (ORDER BY starts_at) AS through ${ofWindow}
              AND starts_at >= first_day.starts_at AND starts_at < first_day.starts_at + interval '24 hours'
          ) AS bucket WHERE through > first_day.skipped ORDER BY starts_at LIMIT 1
        ) AS start CROSS JOIN LATERAL (
          SELECT ${order.join(', ')} FROM ${table}
          WHERE organization_id = $organizationId AND ${isInList('$list')} AND ${time} >= start.starts_at AND ${time} < $endsAt
          ORDER BY ${order.join(', ')} OFFSET start.skipped LIMIT $limit
        ) AS key
      )`,
    total: `(SELECT coalesce(sum(rows), 0) FROM day)`,
  };
}

/**
 * For any window and conditions, within an index.
 * @param conditions SQL that begins with AND, or nothing
 */
export function countedPage({ table, isInList, time, order }: BucketedTable, conditions = ''): PageSql {
  const rows = `FROM ${table}
    WHERE organization_id = $organizationId AND ${isInList('$list')} AND ${time} >= $startsAt AND ${time} < $endsAt ${conditions}`;
  return {
    page: `WITH page AS MATERIALIZED (
        SELECT ${order.join(', ')} ${rows} ORDER BY ${order.join(', ')} OFFSET $offset LIMIT $limit
      )`,
    total: `(SELECT count(*) ${rows})`,
  };
}

/** From `since` on days have this offset from UTC; none is before `leastDay`. */
export interface DayOffset {
  readonly since: number;
  readonly offset: number;
  readonly leastDay: number;
}

/** Dates outside these, in a timezone, count to the first or last one. */
export const FIRST_DAY = Date.parse('0001-01-01') / DAY_MS;
export const LAST_DAY = Date.parse('9999-12-31') / DAY_MS;

export const DIGEST_OF_DAY = {
  list: textColumn('list'),
  day: numberColumn('day'),
  rows: numberColumn('sum(rows)'),
  digest: textColumn('bit_xor(digest)'),
};

/** Of `digestsOfDays`. */
export const DIGEST_PARAMETERS = {
  organizationId: 'text',
  list: 'text | null',
  startsAt: 'timestamptz',
  endsAt: 'timestamptz',
  since: 'timestamptz[]',
  offsets: 'float8[]',
  leastDays: 'float8[]',
} as const;

export function digestValues(
  organizationId: string,
  list: string | null,
  window: { readonly startsAt: number; readonly endsAt: number },
  offsets: readonly DayOffset[],
): ValuesOf<typeof DIGEST_PARAMETERS> {
  return {
    organizationId,
    list,
    startsAt: new Date(window.startsAt),
    endsAt: new Date(window.endsAt),
    since: offsets.map(({ since }) => new Date(since)),
    offsets: offsets.map(({ offset }) => offset / 1_000),
    leastDays: offsets.map(({ leastDay }) => leastDay),
  };
}

/**
 * Reads buckets, or rows if the window or an offset is not of whole buckets.
 * @param lists SQL: an array of lists, needed to use the index of times
 */
export function digestsOfDays(
  table: BucketedTable,
  columns: string,
  source: 'buckets' | 'rows',
  lists = 'ARRAY[$list]',
): string {
  const [from, at, list, rows] =
    source === 'buckets'
      ? [`${table.schema}.bucket`, 'starts_at', 'list', 'rows']
      : [table.table, table.time, table.list, '1'];
  return `SELECT ${columns} FROM (
      SELECT ${list} AS list, ${rows} AS rows, digest, LEAST(GREATEST(
        floor((date_part('epoch', ${at}) + ($offsets)[place]) / 86400), ($leastDays)[place], ${FIRST_DAY}
      ), ${LAST_DAY}) AS day
      FROM (
        SELECT *, width_bucket(${at}, $since) AS place FROM ${from}
        WHERE organization_id = $organizationId AND ${list} = ANY (${lists}) AND ${at} >= $startsAt AND ${at} < $endsAt
      ) AS placed
    ) AS counted GROUP BY list, day ORDER BY list, day`;
}

const statementsOf = memoize((schema: string) => ({
  add: new Statement(
    {
      organizationId: 'text',
      lists: 'text[]',
      startsAt: 'timestamptz[]',
      rows: 'integer[]',
      digests: 'bigint[]',
    },
    {},
    `INSERT INTO ${schema}.bucket AS stored (organization_id, list, starts_at, rows, digest)
     SELECT $organizationId, * FROM unnest($lists, $startsAt, $rows, $digests)
     ON CONFLICT (organization_id, list, starts_at) DO UPDATE
       SET rows = stored.rows + excluded.rows, digest = stored.digest # excluded.digest`,
  ),
  deleteEmpty: new Statement(
    { organizationId: 'text', lists: 'text[]', startsAt: 'timestamptz[]' },
    {},
    `DELETE FROM ${schema}.bucket AS stored USING unnest($lists, $startsAt) AS changed (list, starts_at)
     WHERE stored.organization_id = $organizationId AND stored.list = changed.list AND stored.starts_at = changed.starts_at AND stored.rows = 0`,
  ),
}));
