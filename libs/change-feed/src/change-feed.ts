import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import {
  booleanColumn,
  type Columns,
  inNameOf,
  nullable,
  numberColumn,
  readAhead,
  type RowOf,
  selectList,
  Statement,
  type StatementMode,
  textColumn,
} from '@cxp/storage';
import { type ChangeCursor, ChangeCursors, FeedEpoch } from './change-cursor';
import type { RemovalReason } from './change.repository';
import { ChangeWatch } from './change-watch';

export const FEED = Symbol('feed');

export interface FeedDefinition {
  /** Unique among all feeds, because cursors authenticate it. */
  readonly name: string;
  readonly schema: string;
  /**
   * The table of rows, with `organization_id` and a `change`, unique within an organization; null means that a row is not in
   * the feed.
   */
  readonly table: string;
  readonly columns: Columns;
  readonly mode: StatementMode;
  /** SQL: the approximate bytes of a row, from a column. */
  readonly bytes: string;
}

export type Change<Row> = { readonly change: number } & (
  | { readonly op: 'upsert'; readonly row: Row }
  /** `key` is JSON text. */
  | { readonly op: 'delete'; readonly key: string; readonly reason: RemovalReason }
  | { readonly op: 'resync'; readonly reason: string }
);

export interface ChangePage<Row> {
  readonly items: readonly Change<Row>[];
  /** A reader that applied everything so far holds everything up to this number. */
  readonly change: number;
  readonly hasMore: boolean;
  readonly nextCursor: string;
  /** Of a reader that applied everything up to a change of the page. */
  readonly cursorAt: (change: number) => string;
}

export interface PageRequest {
  readonly cursor?: string;
  readonly limit: number;
  /** Milliseconds to wait if there is nothing new. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  /** Runs the wait, so that the caller can pause its time limit. */
  readonly whileWaiting?: (wait: () => Promise<void>) => Promise<void>;
  /** Called after a wait, because the caller may have lost its permission. */
  readonly confirmAccess?: () => Promise<void>;
}

type Found = RowOf<typeof ITEM_COLUMNS>;

/** Changes of one read; a stream holds those of two. */
const STREAM_CHANGES = 250;

/**
 * Milliseconds that a waiting request gathers changes after some arrived, so that one follower never reaches
 * `CHANGES_PER_SEC_LIMIT` and `CHANGES_PER_MIN_LIMIT`.
 */
const GATHER_MS = 60;

@Injectable()
export class ChangeFeed<Row extends object> {
  private readonly statement: Statement<typeof PARAMETERS, typeof ITEM_COLUMNS>;

  constructor(
    private readonly manager: EntityManager,
    @Inject(FEED) private readonly definition: FeedDefinition,
    private readonly watch: ChangeWatch,
    private readonly epochs: FeedEpoch = new FeedEpoch(manager, definition.schema),
  ) {
    const columns = { ...ITEM_COLUMNS, ...definition.columns };
    this.statement = new Statement(PARAMETERS, columns, changesStatement(definition), definition.mode);
  }

  /**
   * At most `limit` changes, fewer if they are large. A request that may wait takes at least `GATHER_MS`.
   * @throws ProblemError 422 if the cursor was not issued for this organization and feed, 410 if it is expired
   */
  async page(organizationId: string, request: PageRequest): Promise<ChangePage<Row>> {
    const { cursor, limit, waitMs = 0, signal = new AbortController().signal, confirmAccess } = request;
    const first = await this.read(organizationId, cursor, limit, signal);
    if (waitMs === 0) return first;
    const wait = async () => {
      if (first.items.length === 0) await this.watch.wait(organizationId, first.change, waitMs, signal);
      if (!this.watch.isStopped && !signal.aborted) await sleep(GATHER_MS);
    };
    await (request.whileWaiting?.(wait) ?? wait());
    await confirmAccess?.();
    // A shutdown answers with what was found.
    return first.hasMore || this.watch.isStopped ? first : this.read(organizationId, cursor, limit, signal);
  }

  /**
   * All changes until a read finds none.
   * @returns after the first read, so that its problem has a status
   * @throws ProblemError like `page`
   */
  async stream(
    organizationId: string,
    cursor: string | undefined,
    stop?: AbortSignal,
  ): Promise<AsyncIterable<ChangePage<Row>>> {
    const first = await this.read(organizationId, cursor, STREAM_CHANGES, stop);
    const nextOf = ({ hasMore, nextCursor }: ChangePage<Row>) =>
      hasMore ? () => this.read(organizationId, nextCursor, STREAM_CHANGES, stop) : undefined;
    return readAhead(first, nextOf, stop);
  }

  /**
   * To be called before a snapshot is read.
   * @returns writes the cursor of a reader that holds everything up to a number of the snapshot
   */
  async cursorsOf(organizationId: string): Promise<(change: number) => string> {
    const { epoch, cursorKey } = await this.epochIn(organizationId);
    const cursors = new ChangeCursors(cursorKey, this.definition.name, organizationId);
    return (change) => cursors.write({ epoch, position: change, beginning: change });
  }

  private epochIn(organizationId: string) {
    return inNameOf(organizationId, this.manager.dataSource, () => this.epochs.read());
  }

  private async read(
    organizationId: string,
    after: string | undefined,
    limit: number,
    stop: AbortSignal | undefined,
  ): Promise<ChangePage<Row>> {
    // Read before the changes: if another epoch begins meanwhile, the next cursor belongs to the old one and is expired.
    const { epoch, cursorKey } = await this.epochIn(organizationId);
    const cursors = new ChangeCursors(cursorKey, this.definition.name, organizationId);
    const cursor = after ? (cursors.read(after) ?? rejectAsInvalid(NOT_ISSUED)) : undefined;
    const { position = 0, beginning } = cursor ?? {};
    stop?.throwIfAborted();
    const found = await this.statement.run(this.manager, {
      organizationId,
      position,
      beginning,
      limit: limit + 1,
    });
    const { last, pruned } = found[0]!;
    if (cursor && isExpired(cursor, { epoch, last, pruned }))
      throw new ProblemError({ code: 'cursor_expired' });
    const cursorAt = (change: number) =>
      cursors.write({ epoch, position: change, beginning: beginning ?? last });
    const changes = found.filter(({ change }) => change !== null);
    const items = changes.slice(0, limit).map((item) => toChange<Row>(item));
    const hasMore = changes.length > limit || found.at(-1)!.isFollowed;
    const reached = items.at(-1)?.change ?? position;
    return { items, change: hasMore ? reached : last, hasMore, nextCursor: cursorAt(reached), cursorAt };
  }
}

export const NOT_ISSUED = {
  loc: ['query', 'cursor'],
  msg: 'cursor must be empty, or a cursor that this endpoint gave to the organization',
  type: 'value_error',
};

function isExpired(
  { epoch, position, beginning }: ChangeCursor,
  state: { readonly epoch: string; readonly last: number; readonly pruned: number },
): boolean {
  const reached = Math.max(position, beginning);
  return epoch !== state.epoch || reached > state.last || state.pruned > reached;
}

function toChange<Row>(found: Found): Change<Row> {
  const { last: _last, pruned: _pruned, isFollowed: _isFollowed, op, change, key, reason, ...row } = found;
  const common = { change: change! };
  if (op === 'upsert') return { op, ...common, row: row as unknown as Row };
  return op === 'delete' ? { op, ...common, key: key!, reason: reason! } : { op, ...common, reason: key! };
}

const PARAMETERS = {
  organizationId: 'text',
  position: 'bigint',
  beginning: 'bigint | null',
  limit: 'integer',
} as const;

const ITEM_COLUMNS = {
  last: numberColumn('item.last'),
  pruned: numberColumn('item.pruned'),
  op: textColumn<Change<never>['op']>('item.op'),
  change: nullable(numberColumn('item.change')),
  key: nullable(textColumn('item.key')),
  reason: nullable(textColumn<RemovalReason>('item.reason')),
  /** True if another change follows, which is missing from the page if the bytes are used up. */
  isFollowed: booleanColumn('item.next_change IS NOT NULL'),
};

/** Bytes: a page ends with the change that reaches them here, or before the item whose text would exceed them. */
export const PAGE_BYTES = 1_024 * 1_024;

/**
 * One snapshot of state and changes. The cost depends on the items only: each source is read in index order up to the limit,
 * and rows within the bytes are looked up by number. No `$beginning`: the reading begins.
 */
function changesStatement({ schema, table, bytes, columns }: FeedDefinition): string {
  return `SELECT ${selectList({ ...ITEM_COLUMNS, ...columns })} FROM (
    SELECT state.*, item.*, lead(item.change) OVER (ORDER BY item.change) AS next_change,
      coalesce(sum(item.bytes) OVER (
        ORDER BY item.change ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS preceding_bytes
    FROM (
      SELECT coalesce(max(last), 0)::float8 AS last, coalesce(max(pruned), 0)::float8 AS pruned
      FROM ${schema}.change_feed WHERE organization_id = $organizationId
    ) AS state
    LEFT JOIN LATERAL (
      (
        SELECT 'upsert' AS op, change, NULL AS key, NULL AS reason, ${bytes} AS bytes FROM ${table}
        WHERE organization_id = $organizationId AND change > $position ORDER BY change LIMIT $limit
      ) UNION ALL (
        SELECT op, change, key, reason, octet_length(key) FROM ${schema}.change_removal
        WHERE organization_id = $organizationId AND change > GREATEST($position, coalesce($beginning, state.last::bigint))
        ORDER BY change LIMIT $limit
      )
      ORDER BY change
      LIMIT $limit
    ) AS item ON TRUE
  ) AS item
  LEFT JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $organizationId AND change = item.change OFFSET 0
  ) AS row ON item.op = 'upsert'
  WHERE item.preceding_bytes < ${PAGE_BYTES}
  ORDER BY item.change`;
}
