import {
  checkSchema,
  type CopyState,
  createTables,
  isSameKey,
  isSameRow,
  sinceOf,
  STATE,
  stateAfter,
  stateIn,
  type StoredBatch,
  type StoredChange,
  type StoredState,
  visitRows,
} from './copied-tables';
import { CommandError, type CopyDatabase, qualified, type Run, type Stage, UsageError } from './database';
import { isSameTimezone } from './days';
import type { CopiedRow, FollowedFeed, FollowedCampaign } from './followed-feed';
import { History, isErasing } from './history';
import { CAMPAIGNS, SURVEY_VIEWS } from './survey-views';
import { createViews, HISTORY_VIEWS, VIEWS } from './views';

export interface CopyOptions {
  /** Of the business hours; undefined keeps the copy's, or means the default. */
  readonly timezone?: string;
  readonly views?: boolean;
  /** A copy with a history always keeps it. */
  readonly history?: boolean;
}

const CHECKED_EVERY_MS = 10_000;
/** A whole file is rewritten. Rows expire all day; an erasure does not wait. */
const COMPACT_EVERY_MS = 3_600_000;

/** A table of one area's rows, and its state in `follow_state`. The follower may be killed at any time. */
export class TableCopy {
  private history: History | undefined;
  /** Whether nothing of deleted rows is left in a file. */
  private isCompact = true;
  private compactAt = 0;
  private checkAt = 0;

  constructor(
    private readonly database: CopyDatabase,
    public feed: FollowedFeed,
    private readonly organizationId: string,
    private readonly options: CopyOptions = {},
  ) {
    if (options.timezone !== undefined) this.feed = feed.inTimezone(options.timezone);
  }

  private get table(): string {
    return qualified(this.database, this.feed.table);
  }

  private get state(): string {
    return qualified(this.database, STATE);
  }

  /**
   * Creates the tables and options.
   * @throws CommandError if the schema is somebody else's, UsageError if it is of another organization or timezone
   */
  async open(): Promise<CopyState> {
    const state = await this.database.transaction((run) => this.prepare(run), true);
    this.isCompact = state.isCompact;
    await this.compact();
    return state;
  }

  private async prepare(run: Run): Promise<StoredState> {
    const { database, organizationId, options } = this;
    const { name, timezone } = this.feed;
    const isCopy = await checkSchema(run, database);
    const held = isCopy ? await stateIn(run, database, this.feed, organizationId) : undefined;
    if (held && options.timezone !== undefined && !isSameTimezone(held.timezone, options.timezone))
      throw new UsageError(
        `the copy in the schema ${database.schema} is of ${held.timezone}: leave --timezone out, or choose another --schema`,
      );
    // The first name of the timezone stays.
    if (held && held.timezone !== timezone) this.feed = this.feed.inTimezone(held.timezone);
    await createTables(run, database, this.feed);
    if (!held)
      await run(
        `INSERT INTO ${this.state} (area, organization_id, timezone, reading, is_complete, is_current, is_compact, change, began, stored_at)
         VALUES ($1, $2, $3, 0, false, false, true, 0, 0, now())`,
        [name, organizationId, timezone],
      );
    const began = options.history
      ? await run(
          `UPDATE ${this.state} SET history_from = greatest(change, (SELECT max(change) FROM ${this.table}))
           WHERE area = $1 AND history_from IS NULL RETURNING area`,
          [name],
        )
      : [];
    const state = (await stateIn(run, database, this.feed, organizationId))!;
    this.history = state.historyFrom === null ? undefined : new History(database, this.feed);
    await this.history?.create(run);
    if (began.length > 0 && state.isCurrent) await this.history?.note(run, state.change);
    if (this.hasCampaigns)
      await run(
        `CREATE TABLE IF NOT EXISTS ${this.campaigns} (id uuid NOT NULL, status text NOT NULL, "row" ${database.json} NOT NULL)`,
      );
    if (options.views) await createViews(run, database, this.hasCampaigns ? SURVEY_VIEWS : VIEWS);
    if (this.history) await createViews(run, database, HISTORY_VIEWS);
    return state;
  }

  /** Whether views show campaigns, which are no part of the feed. */
  get hasCampaigns(): boolean {
    return this.options.views === true && this.feed.campaigns !== undefined;
  }

  private get campaigns(): string {
    return qualified(this.database, CAMPAIGNS);
  }

  async storeCampaigns(campaigns: readonly FollowedCampaign[]): Promise<void> {
    const columns = [
      { name: 'id', type: 'uuid' },
      { name: 'status', type: 'text' },
      { name: '"row"', type: this.database.json },
    ];
    const rows = campaigns.map(({ id, status, row }) => [id, status, JSON.stringify(row)]);
    await this.database.transaction(async (run, stage) => {
      await stage(columns, rows);
      await run(`DELETE FROM ${this.campaigns}`);
      await run(`INSERT INTO ${this.campaigns} SELECT * FROM batch`);
    });
  }

  private async compact(): Promise<void> {
    if (this.isCompact || performance.now() < this.compactAt) return;
    this.compactAt = performance.now() + COMPACT_EVERY_MS;
    await this.database.compact();
    await this.database.transaction((run) => run(`UPDATE ${this.state} SET is_compact = true`));
    this.isCompact = true;
  }

  /** The service has answered that nothing is new. Written every ten seconds at most. */
  async checked(): Promise<void> {
    if (performance.now() < this.checkAt) return;
    await this.write(async (run) => {
      await run(`UPDATE ${this.state} SET checked_at = now() WHERE area = $1`, [this.feed.name]);
      return (await this.history?.forget(run)) === true;
    });
    await this.compact();
  }

  /** @param work returns whether it has erased something */
  private async write(work: (run: Run, stage: Stage) => Promise<boolean>): Promise<void> {
    const leaves = await this.database.transaction(async (run, stage) => {
      const isErased = await work(run, stage);
      if (isErased) await run(`UPDATE ${this.state} SET is_compact = false`);
      return isErased;
    });
    if (leaves) this.isCompact = false;
    this.checkAt = performance.now() + CHECKED_EVERY_MS;
  }

  /**
   * Stores changes and cursor, or nothing. At the end of a reading, rows that it did not find are removed.
   * @throws CommandError if another follower writes to the table
   */
  async store(from: CopyState, batch: StoredBatch): Promise<CopyState> {
    const next = stateAfter(from, batch);
    await this.write(async (run, stage) => {
      const { cursor, reading, isComplete, schedule, change, began, isCurrent } = next;
      const stored = await run(
        `UPDATE ${this.state} SET cursor = $2, reading = $3, is_complete = $4, schedule = $7, change = $8,
           began = $9, is_current = $10, stored_at = now(), checked_at = now()
         WHERE area = $1 AND cursor IS NOT DISTINCT FROM $5 AND reading = $6 RETURNING area`,
        [
          ...[this.feed.name, cursor, reading, isComplete, from.cursor, from.reading],
          ...[schedule, change, began, isCurrent],
        ],
      );
      if (stored.length === 0) throw new CommandError('another follower writes to the same table');
      const isErased = await this.apply(run, stage, batch, from, next);
      if (isErased) this.compactAt = 0;
      return isErased || batch.items.some(({ reason }) => reason === 'expired');
    });
    // The file is written once for all that is erased by many batches.
    if (next.isCurrent) await this.compact();
    return next;
  }

  async count(): Promise<number> {
    const rows = await this.database.transaction((run) => run(`SELECT count(*) AS count FROM ${this.table}`));
    return Number(rows[0]!.count);
  }

  /** Visits the rows of one state. */
  eachRow(
    visit: (row: CopiedRow & { readonly digest: string }) => void,
    groups?: readonly string[],
  ): Promise<void> {
    const from = groups ? `${this.table} WHERE ${this.feed.areNear(groups)}` : this.table;
    return this.database.snapshot((snapshot) =>
      visitRows(snapshot, this.feed, from, 'digest', (row) => {
        if (!groups || groups.includes(this.feed.groupOf(row))) visit(row);
      }),
    );
  }

  /** @returns whether something was erased, beside rows that have expired */
  private async apply(
    run: Run,
    stage: Stage,
    { items, isResumed }: StoredBatch,
    from: CopyState,
    next: CopyState,
  ): Promise<boolean> {
    const { feed, history, table } = this;
    let isErased = items.some((item) => isErasing(item) && item.reason !== 'expired');
    await history?.begin(run, from, next);
    if (items.length > 0) {
      await this.stage(stage, items);
      const isHeld = isSameKey(feed);
      // While a feed is followed, new content has a new number.
      const isCompared = isAgain(from, next) || items.some(({ change }) => change <= next.began);
      const isSame = isSameRow(feed, isCompared);
      await history?.end(run, from, next, isSame);
      // Includes keys that are no longer held.
      await history?.blank(run, items);
      const fieldNames = feed.fieldColumns.map(({ name }) => name);
      const given = [feed.extraColumn.name, 'change', 'digest', '"row"', ...fieldNames];
      const set = given.map((name) => `${name} = batch.${name}`).join(', ');
      const since = sinceOf(from, next);
      const inserted = [...feed.keyColumns.map(({ name }) => name), ...given];
      await run(
        `MERGE INTO ${table} AS held USING batch ON ${isHeld}
         WHEN MATCHED AND ${isSame} THEN UPDATE SET reading = ${next.reading}
         WHEN MATCHED AND batch.op = 'delete' THEN DELETE
         WHEN MATCHED THEN UPDATE SET ${set}, reading = ${next.reading}, since = ${since}
         WHEN NOT MATCHED AND batch.op = 'upsert' THEN INSERT (${inserted.join(', ')}, reading, since)
           VALUES (${inserted.map((name) => `batch.${name}`).join(', ')}, ${next.reading}, ${since})`,
      );
    }
    const isOver = isAgain(from, next) && next.isComplete;
    if (isOver) {
      await history?.endUnseen(run, next);
      const unseen = await run(`DELETE FROM ${table} WHERE reading < ${next.reading} RETURNING change`);
      isErased ||= unseen.length > 0;
    }
    // A restored backup has smaller numbers: those of rows that it has, too, were given again.
    if (isResumed)
      await run(
        `UPDATE ${table} SET change = least(change, ${next.began}), since = least(since, ${next.began})
         WHERE greatest(change, since) > ${next.began}`,
      );
    if (history && (isOver || isResumed)) isErased = (await history.blankGone(run)) || isErased;
    if (history && next.isCurrent) {
      if (next.change !== from.change) await history.note(run, next.change);
      isErased = (await history.forget(run)) || isErased;
    }
    return isErased;
  }

  /** Keeps the last change of each key: a long stream may repeat a key. */
  private stage(stage: Stage, items: readonly StoredChange[]): Promise<void> {
    const { keyColumns, extraColumn, fieldColumns } = this.feed;
    const columns = [
      ...keyColumns,
      { name: 'op', type: 'text' },
      { name: 'reason', type: 'text' },
      extraColumn,
      { name: 'change', type: 'bigint' },
      { name: 'digest', type: 'text' },
      { name: '"row"', type: this.database.json },
      ...fieldColumns,
    ];
    const last = new Map(items.map((item) => [JSON.stringify(item.key), item])).values();
    const rows = Array.from(last, (item) => {
      const { op, reason = null, change, digest = null, row = null, fields } = item;
      const extra = (item as unknown as Record<string, string>)[extraColumn.member] ?? null;
      const key = keyColumns.map(({ member }) => item.key[member]!);
      return [...key, op, reason, extra, change, digest, row, ...fields];
    });
    return stage(columns, rows);
  }
}

function isAgain(from: CopyState, next: CopyState): boolean {
  return !from.isComplete || next.reading > from.reading;
}
