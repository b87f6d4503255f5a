import type { ChangeBatch } from '@cxp/client';
import {
  CommandError,
  type CopyDatabase,
  milliseconds,
  names,
  qualified,
  type ResultRows,
  type Run,
  type Snapshot,
  typed,
  UsageError,
} from './database';
import type { CopiedRow, CopyColumn, FollowedFeed, FollowedChange } from './followed-feed';

export interface CopyState {
  readonly cursor: string | null;
  /** Counts the readings from the beginning. */
  readonly reading: number;
  /** Whether the reading has reached its end once: then the copy holds no rows of earlier readings. */
  readonly isComplete: boolean;
  /** See `FollowedFeed.begin`. */
  readonly schedule: string | null;
  /** Whether the copy is a state that existed. */
  readonly isCurrent: boolean;
  /** The number of the last such state. */
  readonly change: number;
  /** The number at which the reading began. */
  readonly began: number;
}

/** A row is a text: its length counts, and it is stored as it is. `fields` are the values of `fieldColumns`. */
export type StoredChange = Omit<FollowedChange, 'row'> & {
  readonly row?: string;
  readonly fields: readonly unknown[];
};

export function withText({ fieldColumns }: FollowedFeed, { row, ...change }: FollowedChange): StoredChange {
  const fields = fieldColumns.map(({ member }) => row?.[member] ?? null);
  return { ...change, row: row && JSON.stringify(row), fields };
}

/** Stored in one transaction. `schedule` and `began` belong to a reading that begins with the batch. */
export type StoredBatch = ChangeBatch<StoredChange> & {
  readonly schedule?: string | null;
  readonly began?: number;
  /** The batch ends a comparison after which the reading goes on at another cursor. */
  readonly isResumed?: boolean;
};

export function stateAfter(state: CopyState, batch: StoredBatch): CopyState {
  return {
    cursor: batch.cursor,
    reading: state.reading + (batch.startsOver === null ? 0 : 1),
    isComplete: batch.isCurrent || (batch.startsOver === null && state.isComplete),
    schedule: batch.schedule === undefined ? state.schedule : batch.schedule,
    isCurrent: batch.isCurrent,
    change: batch.isCurrent ? batch.change : state.change,
    began: batch.began ?? state.began,
  };
}

export interface StoredState extends CopyState {
  readonly area: FollowedFeed['name'];
  readonly organization: string;
  readonly timezone: string;
  readonly historyFrom: number | null;
  /** Whether the file holds nothing of deleted rows. */
  readonly isCompact: boolean;
}

export const STATE = 'follow_state';

/**
 * With the comments that the database shows. No column that has one may have a default that calls a function: DuckDB does not
 * replay such a comment, and so would never open the file again after a kill.
 */
const STATE_COLUMNS = [
  ['area', 'text PRIMARY KEY', 'contact-center or survey.'],
  ['organization_id', 'text NOT NULL', 'Whose rows the copy holds.'],
  ['timezone', 'text NOT NULL', "The timezone of the rows' business hours, and of the days of seals."],
  ['change', 'bigint NOT NULL', 'The number up to which the copy was up to date last.'],
  [
    'checked_at',
    'timestamptz',
    'When the service answered last. Watch this: a follower that runs writes it at least every 40 seconds.',
  ],
  ['stored_at', 'timestamptz NOT NULL', 'When changes were stored last.'],
  [
    'is_current',
    'boolean NOT NULL',
    'Whether the tables are a state that existed; false between two batches.',
  ],
  ['is_complete', 'boolean NOT NULL', 'Whether the first reading, or one from the beginning, has ended.'],
  ['history_from', 'bigint', 'The first change of the history; null without one.'],
  ['cursor', 'text', 'Where the follower goes on.'],
  ['reading', 'integer NOT NULL', 'How many times the feed was read from the beginning.'],
  ['began', 'bigint NOT NULL', 'The number at which the last of these readings began.'],
  ['schedule', 'text', 'The digest of the human schedule that business hours are counted by.'],
  ['is_compact', 'boolean NOT NULL', 'Whether nothing of deleted rows is left in a file.'],
] as const;

/** Creates what is missing. */
export async function createTables(run: Run, database: CopyDatabase, feed: FollowedFeed): Promise<void> {
  const { schema, hasIndexes, json } = database;
  const { keyColumns, extraColumn, fieldColumns } = feed;
  // CREATE SCHEMA needs a right that an owner of the schema may lack.
  if ((await run('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', [schema])).length === 0)
    await run(`CREATE SCHEMA "${schema}"`);
  const state = qualified(database, STATE);
  const table = qualified(database, feed.table);
  await run(
    `CREATE TABLE IF NOT EXISTS ${state} (${STATE_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  );
  for (const [name, , sentence] of STATE_COLUMNS) await comment(run, `COLUMN ${state}.${name}`, sentence);
  // `since`: the number from which on the row has its content: its own, or that of a resync.
  await run(`CREATE TABLE IF NOT EXISTS ${table} (
    ${typed(keyColumns)}, ${extraColumn.name} ${extraColumn.type} NOT NULL, change bigint NOT NULL, digest text NOT NULL,
    "row" ${json} NOT NULL, reading integer NOT NULL, since bigint NOT NULL${fieldColumns.map((each) => `, ${typed([each])}`).join('')})`);
  if (hasIndexes && feed.startColumn)
    await run(`CREATE INDEX IF NOT EXISTS ${feed.table}_start ON ${table} (${feed.startColumn})`);
  if (hasIndexes)
    await run(
      `CREATE UNIQUE INDEX IF NOT EXISTS ${feed.table}_key ON ${table} (${keyColumns.map((each) => comparable(each)).join(', ')})`,
    );
}

/**
 * Sees, unlike `information_schema`, what the user has no right to, and sequences.
 * @throws CommandError if the schema holds tables of somebody else
 */
export async function checkSchema(run: Run, { schema }: CopyDatabase): Promise<boolean> {
  const columns = await run(
    `SELECT relname AS held, attname AS name
     FROM pg_catalog.pg_namespace AS place JOIN pg_catalog.pg_class AS relation ON relnamespace = place.oid
       LEFT JOIN pg_catalog.pg_attribute ON attrelid = relation.oid WHERE nspname = $1`,
    [schema],
  );
  const isCopy = columns.some(({ held, name }) => held === STATE && name === 'checked_at');
  if (isCopy || columns.length === 0) return isCopy;
  throw new CommandError(`the schema ${schema} holds tables of somebody else: choose another --schema`);
}

/** The copies in the schema. */
export async function statesOf(run: Run, database: CopyDatabase): Promise<readonly StoredState[]> {
  const rows = await run(
    `SELECT area, cursor, reading, schedule, timezone, is_complete AS "isComplete", is_current AS "isCurrent",
       is_compact AS "isCompact", organization_id AS organization, change, began, history_from AS "historyFrom"
     FROM ${qualified(database, STATE)}`,
  );
  return rows.map(
    ({ change, began, historyFrom, ...row }) =>
      ({
        ...row,
        change: Number(change),
        began: Number(began),
        historyFrom: historyFrom === null ? null : Number(historyFrom),
      }) as StoredState,
  );
}

/** @throws UsageError if the schema belongs to another organization */
export async function stateIn(
  run: Run,
  database: CopyDatabase,
  feed: FollowedFeed,
  organization: string,
): Promise<StoredState | undefined> {
  const states = await statesOf(run, database);
  const other = states.find((each) => each.organization !== organization);
  if (other)
    throw new UsageError(
      `the schema ${database.schema} has the copy of organization ${other.organization}: choose another --schema`,
    );
  return states.find(({ area: name }) => name === feed.name);
}

/**
 * The copies that a seal or a report reads.
 * @param first the command that makes one
 * @throws CommandError if there is none, or one is not up to date
 */
export async function heldStates(
  run: Run,
  database: CopyDatabase,
  wanted: string | undefined,
  first: string,
): Promise<readonly [StoredState, ...StoredState[]]> {
  const states = (await checkSchema(run, database)) ? await statesOf(run, database) : [];
  const [held, ...others] = states.filter(({ area }) => wanted === undefined || area === wanted);
  if (!held)
    throw new CommandError(
      `there is no copy of ${wanted ?? 'an area'} in the schema ${database.schema}: run ${first} first`,
    );
  if (![held, ...others].every(({ isCurrent }) => isCurrent))
    throw new CommandError('the copy is not up to date: run cxp-follow --once first');
  return [held, ...others];
}

export async function comment(run: Run, what: string, text: string): Promise<void> {
  await run(`COMMENT ON ${what} IS '${text.replaceAll("'", "''")}'`);
}

/** No number of a key is as small. With it keys compare by equality, which joins and indexes can use. */
const NULL = '(-9223372036854775808)';

function comparable({ name, type }: CopyColumn, of = ''): string {
  return type === 'integer' || type === 'bigint' ? `coalesce(${of}${name}, ${NULL})` : `${of}${name}`;
}

export function isSameKey({ keyColumns }: FollowedFeed): string {
  return keyColumns
    .map((column) => `${comparable(column, 'held.')} = ${comparable(column, 'batch.')}`)
    .join(' AND ');
}

/** @param isCompared compares the content, too: it may differ under the same number */
export function isSameRow({ extraColumn }: FollowedFeed, isCompared: boolean): string {
  const columns = ['change', 'digest', extraColumn.name, ...(isCompared ? ['"row"'] : [])];
  return `batch.op = 'upsert' AND ${columns.map((name) => `held.${name} = batch.${name}`).join(' AND ')}`;
}

/**
 * The number from which on a row of a batch has its content. A row older than the copy changed at the reading's beginning, for
 * instance by another schedule.
 */
export function sinceOf(from: CopyState, next: CopyState): string {
  return `CASE WHEN batch.change > ${from.change} THEN batch.change ELSE greatest(batch.change, ${next.began}) END`;
}

/**
 * Visits the rows of a copy.
 * @param digest a column; null for whoever needs none, because it costs a tenth
 */
export async function visitRows(
  { stream }: Snapshot,
  feed: FollowedFeed,
  from: string,
  digest: 'digest' | null,
  visit: (row: CopiedRow & { readonly digest: string }) => void,
): Promise<void> {
  const { keyColumns, extraColumn } = feed;
  const isTime = extraColumn.type === 'timestamptz';
  const extra = isTime ? milliseconds(extraColumn.name) : `CAST(${extraColumn.name} AS text)`;
  const columns = [names(keyColumns), `${extra} AS extra`, '"row"', ...(digest ? [digest] : [])];
  await stream(`SELECT ${columns.join(', ')} FROM ${from}`, (row) =>
    visit({
      key: keyOf(feed, row),
      extra: isTime ? new Date(Number(row.extra)).toISOString() : (row.extra as string),
      digest: row.digest as string,
      row: parsed(row.row!) ?? {},
    }),
  );
}

/** One of the databases answers JSON as text, or its bytes. */
export function parsed(row: unknown): CopiedRow['row'] | null {
  const text =
    row instanceof Uint8Array ? Buffer.from(row.buffer, row.byteOffset, row.length).toString() : row;
  return (typeof text === 'string' ? JSON.parse(text) : text) as CopiedRow['row'] | null;
}

/** In the form of the feed. */
export function keyOf({ keyColumns }: FollowedFeed, columns: ResultRows[number]): CopiedRow['key'] {
  const key: Record<string, string | number | null> = {};
  for (const { name, type, member } of keyColumns) {
    const value = columns[name] as string | number | null;
    key[member] = type === 'bigint' && value !== null ? Number(value) : value;
  }
  return key;
}
