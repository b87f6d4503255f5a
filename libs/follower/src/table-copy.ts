import { CommandError, type CopyDatabase, names, type Run, type Stage, typed, UsageError } from './database';
import type { CopiedRow, FollowedArea } from './followed-area';
import {
  type CopyState,
  History,
  isErasing,
  isSameKey,
  isSameRow,
  parsed,
  sinceOf,
  stateAfter,
  stateOf,
  type StoredBatch,
  type StoredChange,
  type StoredState,
} from './copied-tables';
import { createViews, HISTORY_VIEWS, VIEWS } from './views';

export interface CopyOptions {
  /** Of the business hours; undefined keeps the copy's, or means the default. */
  readonly timezone?: string;
  readonly views?: boolean;
  /** A copy with a history always keeps it. */
  readonly history?: boolean;
}

/** A table of one area's rows, and its state in `cxp_follow_state`. The follower may be killed at any time. */
export class TableCopy {
  private history: History | undefined;
  /** Whether nothing of deleted rows is left in a file. */
  private isCompact = true;

  constructor(
    private readonly database: CopyDatabase,
    public area: FollowedArea,
    private readonly organizationId: string,
    private readonly options: CopyOptions = {},
  ) {}

  /**
   * Creates the tables and options.
   * @throws CommandError if the table is a copy of another organization, UsageError if it is one of another timezone
   */
  async open(): Promise<CopyState> {
    const state = await this.database.transaction((run) => this.prepare(run), true);
    this.isCompact = state.isCompact;
    await this.compact();
    return state;
  }

  private async prepare(run: Run): Promise<StoredState> {
    const { database, organizationId, options } = this;
    await createTables(run, database, this.area);
    const name = this.area.name;
    await run(
      `INSERT INTO cxp_follow_state (area, organization_id, reading, is_complete, change, timezone)
         VALUES ($1, $2, 0, false, 0, $3) ON CONFLICT DO NOTHING`,
      [name, organizationId, options.timezone ?? this.area.timezone],
    );
    if (options.history) {
      await run(
        `UPDATE cxp_follow_state SET history_from =
             greatest(change, (SELECT max(change) FROM ${this.area.table}))
           WHERE area = $1 AND history_from IS NULL`,
        [name],
      );
    }
    const state = await stateOf(run, this.area);
    const { organization, timezone, historyFrom } = state;
    if (organization !== organizationId)
      throw new CommandError(`the table ${this.area.table} is a copy of organization ${organization}`);
    if (options.timezone !== undefined && options.timezone !== timezone)
      throw new UsageError(
        `the copy has business hours of ${timezone}: leave --timezone out, or copy into another database`,
      );
    if (timezone !== this.area.timezone) this.area = this.area.inTimezone(timezone);
    this.history = historyFrom === null ? undefined : new History(database, this.area);
    await this.history?.create(run);
    if (options.views) await createViews(run, database, VIEWS);
    if (this.history) await createViews(run, database, HISTORY_VIEWS);
    return state;
  }

  private async compact(): Promise<void> {
    if (this.isCompact) return;
    await this.database.compact();
    await this.database.transaction((run) => run('UPDATE cxp_follow_state SET is_compact = true'));
    this.isCompact = true;
  }

  /**
   * Stores changes and cursor, or nothing. At the end of a reading, rows that it did not find are removed.
   * @throws CommandError if another follower writes to the table
   */
  async store(from: CopyState, batch: StoredBatch): Promise<CopyState> {
    const next = stateAfter(from, batch);
    const isOver = next.isComplete && next.reading > 1 && isAgain(from, next);
    const leaves = await this.database.transaction(async (run, stage) => {
      const { cursor, reading, isComplete, schedule, change, began, isCurrent } = next;
      const stored = await run(
        `UPDATE cxp_follow_state SET cursor = $2, reading = $3, is_complete = $4, schedule = $7, change = $8,
           began = $9, is_current = $10, stored_at = now()
         WHERE area = $1 AND cursor IS NOT DISTINCT FROM $5 AND reading = $6 RETURNING area`,
        [
          ...[this.area.name, cursor, reading, isComplete, from.cursor, from.reading],
          ...[schedule, change, began, isCurrent],
        ],
      );
      if (stored.length === 0) throw new CommandError('another follower writes to the same table');
      const isForgotten = await this.apply(run, stage, batch.items, from, next);
      const isErased = isOver || isForgotten || batch.items.some(isErasing);
      if (isErased) await run('UPDATE cxp_follow_state SET is_compact = false');
      return isErased;
    });
    if (leaves) this.isCompact = false;
    // The file is written once for all that is erased by many batches.
    if (next.isCurrent) await this.compact();
    return next;
  }

  async count(): Promise<number> {
    const rows = await this.database.transaction((run) =>
      run(`SELECT count(*) AS count FROM ${this.area.table}`),
    );
    return Number(rows[0]!.count);
  }

  /** Some thousands of rows are in memory at once. */
  async *rows(groups?: readonly string[]): AsyncGenerator<CopiedRow & { group: string; digest: string }> {
    const { table, keyColumns, extraColumn, groupSql } = this.area;
    const isTime = extraColumn.type === 'timestamptz';
    const milliseconds = `CAST(round(extract(epoch FROM ${extraColumn.name}) * 1000) AS bigint)`;
    const extra = isTime ? milliseconds : `CAST(${extraColumn.name} AS text)`;
    const isOfGroups = (list: string[]) => `WHERE coalesce(${groupSql}, '') IN (${list.join()})`;
    const chosen = groups ? isOfGroups(groups.map((group) => `'${group.replaceAll("'", "''")}'`)) : '';
    const columns = `${names(keyColumns)}, ${extra} AS extra, digest, "row", coalesce(${groupSql}, '') AS "group"`;
    for await (const rows of this.database.read(`SELECT ${columns} FROM ${table} ${chosen}`)) {
      for (const { extra: value, digest, row, group, ...key } of rows)
        yield {
          key: keyOf(this.area, key),
          extra: isTime ? new Date(Number(value)).toISOString() : (value as string),
          digest: digest as string,
          row: parsed(row) ?? {},
          group: group as string,
        };
    }
  }

  /** @returns whether the history has blanked something */
  private async apply(
    run: Run,
    stage: Stage,
    items: readonly StoredChange[],
    from: CopyState,
    next: CopyState,
  ): Promise<boolean> {
    const { area, history } = this;
    const { table, keyColumns, extraColumn } = area;
    await history?.begin(run, from, next);
    if (items.length > 0) {
      await this.stage(stage, items);
      const isHeld = isSameKey(area);
      // While a feed is followed, new content has a new number.
      const isCompared = isAgain(from, next) || items.some(({ change }) => change <= next.began);
      const isSame = isSameRow(area, isCompared);
      const held = await run(`SELECT 1 FROM ${table} AS held JOIN batch ON ${isHeld} LIMIT 1`);
      if (held.length > 0) await history?.end(run, from, next, isSame);
      // Includes keys that are no longer held.
      await history?.blank(run, items);
      const values = [extraColumn.name, 'change', 'digest', '"row"'];
      const set = values.map((name) => `${name} = batch.${name}`).join(', ');
      const since = sinceOf(from, next);
      const columns = [...keyColumns.map(({ name }) => name), ...values];
      await run(
        `MERGE INTO ${table} AS held USING batch ON ${isHeld}
         WHEN MATCHED AND ${isSame} THEN UPDATE SET reading = ${next.reading}
         WHEN MATCHED AND batch.op = 'delete' THEN DELETE
         WHEN MATCHED THEN UPDATE SET ${set}, reading = ${next.reading}, since = ${since}
         WHEN NOT MATCHED AND batch.op = 'upsert' THEN INSERT (${columns.join(', ')}, reading, since)
           VALUES (${columns.map((name) => `batch.${name}`).join(', ')}, ${next.reading}, ${since})`,
      );
    }
    if (isAgain(from, next) && next.isComplete) {
      await history?.endUnseen(run, next);
      await run(`DELETE FROM ${table} WHERE reading < ${next.reading}`);
    }
    return next.isCurrent && (await history?.forget(run)) === true;
  }

  /** Keeps the last change of each key: a long stream may repeat a key. */
  private stage(stage: Stage, items: readonly StoredChange[]): Promise<void> {
    const { keyColumns, extraColumn } = this.area;
    const columns = [
      ...keyColumns,
      { name: 'op', type: 'text' },
      { name: 'reason', type: 'text' },
      extraColumn,
      { name: 'change', type: 'bigint' },
      { name: 'digest', type: 'text' },
      { name: '"row"', type: this.database.json },
    ];
    const last = new Map(items.map((item) => [JSON.stringify(item.key), item])).values();
    const rows = Array.from(last, (item) => {
      const { op, reason = null, change, digest = null, row = null } = item;
      const extra = (item as unknown as Record<string, string>)[extraColumn.member] ?? null;
      const key = keyColumns.map(({ member }) => item.key[member]!);
      return [...key, op, reason, extra, change, digest, row];
    });
    return stage(columns, rows);
  }
}

function isAgain(from: CopyState, next: CopyState): boolean {
  return !from.isComplete || next.reading > from.reading;
}

async function createTables(run: Run, database: CopyDatabase, area: FollowedArea): Promise<void> {
  const { table, keyColumns, extraColumn } = area;
  const unique = database.hasIndexes ? `, UNIQUE NULLS NOT DISTINCT (${names(keyColumns)})` : '';
  await run(`CREATE TABLE IF NOT EXISTS cxp_follow_state (
    area text PRIMARY KEY, organization_id text NOT NULL, cursor text, reading integer NOT NULL,
    is_complete boolean NOT NULL, stored_at timestamptz NOT NULL DEFAULT now())`);
  // A copy of an older release has business hours of Asia/Singapore, and its next batch updates its progress.
  for (const column of [
    'schedule text',
    'change bigint DEFAULT 0',
    'began bigint DEFAULT 0',
    'is_current boolean DEFAULT false',
    `timezone text DEFAULT '${area.timezone}'`,
    'history_from bigint',
    'is_compact boolean DEFAULT true',
  ])
    await run(`ALTER TABLE cxp_follow_state ADD COLUMN IF NOT EXISTS ${column}`);
  await run(`CREATE TABLE IF NOT EXISTS ${table} (
    ${typed(keyColumns)}, ${extraColumn.name} ${extraColumn.type} NOT NULL, change bigint NOT NULL, digest text NOT NULL,
    "row" ${database.json} NOT NULL, reading integer NOT NULL${unique})`);
  // The number from which on the row has its content: its own, or that of a resync.
  await run(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS since bigint`);
}

/** In the form of the feed. */
function keyOf({ keyColumns }: FollowedArea, columns: object): CopiedRow['key'] {
  return Object.fromEntries(
    keyColumns.map(({ name, type, member }) => {
      const value = (columns as Record<string, string | number | null>)[name]!;
      return [member, type === 'bigint' && value !== null ? Number(value) : value];
    }),
  );
}
