import { readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { Command, Option } from 'commander';
import { canonicalJson, hexDigest, textDigest } from '@cxp/change-feed/row-digest';
import { heldStates, keyOf, parsed, type StoredState, visitRows } from './copied-tables';
import {
  CommandError,
  type CopyDatabase,
  milliseconds,
  names,
  qualified,
  type ResultRows,
  type Snapshot,
  UsageError,
} from './database';
import { checkPeriod, type Day, daysOf, parseDate } from './days';
import { type CopiedRow, type FollowedFeed, followedFeeds } from './followed-feed';
import { PAST } from './history';
import { openCopy, parseTarget, schemaOption } from './target';

interface SealOptions {
  readonly to: string;
  readonly schema: string;
  readonly area?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly output?: string;
  readonly check?: string;
}

export function sealCommand(): Command {
  return new Command('seal')
    .description('write what a closed period of a copy looked like, or show what is different now')
    .requiredOption('--to <target>', 'the copy: postgres://… or FILE.duckdb', parseTarget)
    .addOption(schemaOption())
    .addOption(
      new Option('--area <area>', 'if the schema has copies of both').choices(
        followedFeeds.map(({ name }) => name),
      ),
    )
    .option('--start-date <day>', 'first day of sessionStartAt, in the timezone of the copy', parseDate)
    .option('--end-date <day>', 'last day', parseDate)
    .option('--output <file>', 'where the seal is written; else to standard output')
    .option('--check <file>', 'a seal: shows the days that are different now, and with a history their rows')
    .action(seal);
}

async function seal(options: SealOptions): Promise<void> {
  const { to, schema, area, startDate, endDate, output, check } = options;
  if (check !== undefined && (startDate ?? endDate ?? output) !== undefined)
    throw new UsageError('--check stands alone: days are those of the seal');
  if (check === undefined) checkPeriod('a seal', '--check', startDate, endDate);
  const sealed = check === undefined ? undefined : await readFile(check, 'utf8');
  const database = await openCopy(to, schema);
  try {
    if (sealed === undefined) {
      const made = await makeSeal(database, startDate!, endDate!, area);
      if (output === undefined) process.stdout.write(made.text);
      else await writeFile(output, made.text);
      (output === undefined ? process.stderr : process.stdout).write(`sealed ${made.about}\n`);
      return;
    }
    const { lines, about } = await checkSeal(database, sealed);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length > 0) throw new CommandError('the period is not as it was sealed');
    process.stdout.write(`all is as it was sealed: ${about}\n`);
  } finally {
    await database.close();
  }
}

const TITLE = 'cxp seal 1';
/** The line of a day: its date, the instants at which it begins and ends, its rows and their digest. */
const DAY = /^(\d{4}-\d\d-\d\d) (\S+Z) (\S+Z) (\d+) ([0-9a-f]{16})$/;

interface SealedDay extends Day {
  rows: number;
  digest: bigint;
}

/** @throws CommandError if there is no copy that is up to date */
export async function makeSeal(
  database: CopyDatabase,
  first: string,
  last: string,
  wanted?: string,
): Promise<{ readonly text: string; readonly about: string }> {
  const { feed, state, days } = await database.snapshot(async (snapshot) => {
    const copy = await copied(snapshot, database, wanted);
    return {
      ...copy,
      days: await counted(snapshot, database, copy.feed, daysOf(copy.feed.timezone, first, last)),
    };
  });
  const headers = {
    organization: state.organization,
    area: feed.name,
    timezone: feed.timezone,
    days: `${first} ${last}`,
    change: state.change,
    schedule: state.schedule ?? 'none',
    time: new Date().toISOString(),
  };
  const lines = [
    TITLE,
    ...Object.entries(headers).map((words) => words.join(' ')),
    ...days.map(({ date, begins, ends, rows, digest }) =>
      [date, new Date(begins).toISOString(), new Date(ends).toISOString(), rows, hexDigest(digest)].join(' '),
    ),
  ];
  return { text: `${lines.join('\n')}\nsha256 ${checksum(lines)}\n`, about: about(feed, days) };
}

/** For the line of success. */
function about({ countedBy, timezone }: FollowedFeed, days: readonly SealedDay[]): string {
  const rows = days.reduce((sum, day) => sum + day.rows, 0);
  return `${days[0]!.date} to ${days.at(-1)!.date}, ${rows || 'no'} rows, by the day of ${countedBy} in ${timezone}`;
}

/** @returns a line for each difference */
export async function checkSeal(
  database: CopyDatabase,
  text: string,
): Promise<{ readonly lines: string[]; readonly about: string }> {
  const { headers, days } = parseSeal(text);
  const change = Number(headers.change);
  return database.snapshot(async (snapshot) => {
    const { feed, state } = await copied(snapshot, database, headers.area);
    for (const [what, held] of Object.entries({ organization: state.organization, timezone: feed.timezone }))
      if (headers[what] !== held)
        throw new UsageError(
          `the seal is of ${what} ${headers[what]}, the copy of ${held}: check it against a copy of ${headers[what]}`,
        );
    if (change > state.change)
      throw new CommandError(
        `the seal is of change ${change}, the copy of ${state.change}: run cxp-follow --once first`,
      );
    const now = await counted(snapshot, database, feed, days);
    const lines = days.flatMap(({ date, rows, digest }, place) =>
      rows === now[place]!.rows && digest === now[place]!.digest
        ? []
        : [`${date}: ${rows} rows when it was sealed, ${now[place]!.rows} now`],
    );
    if (lines.length === 0) return { lines, about: about(feed, days) };
    if (headers.schedule !== (state.schedule ?? 'none'))
      lines.push('the human schedule is another one: business hours may differ on every day');
    if (feed.name === 'contact-center')
      lines.push(
        ...(state.historyFrom === null || state.historyFrom > change
          ? ['which rows differ is known only to a copy whose --history began before the seal']
          : await changedRows(snapshot, database, feed, change, days)),
      );
    return { lines, about: '' };
  });
}

/** @throws CommandError, UsageError */
async function copied(
  { run }: Snapshot,
  database: CopyDatabase,
  wanted?: string,
): Promise<{ readonly feed: FollowedFeed; readonly state: StoredState }> {
  const held = await heldStates(run, database, wanted, 'cxp-follow --once');
  if (held.length > 1) throw new UsageError('the schema has copies of both areas: --area names one');
  const [state] = held;
  const feed = followedFeeds.find(({ name }) => name === state.area)!;
  return { feed: feed.inTimezone(state.timezone), state };
}

/** The rows of some days that follow each other, as they are now. */
async function counted(
  snapshot: Snapshot,
  database: CopyDatabase,
  feed: FollowedFeed,
  days: readonly Day[],
): Promise<SealedDay[]> {
  const counts = days.map((day) => ({ ...day, rows: 0, digest: 0n }));
  const at = milliseconds(feed.countedAtSql);
  const from = `${qualified(database, feed.table)} WHERE ${at} >= ${days[0]!.begins} AND ${at} < ${days.at(-1)!.ends}`;
  await visitRows(snapshot, feed, from, null, (row) => {
    const day = dayAt(counts, feed.countedAt(row));
    if (!day) return;
    day.rows += 1;
    day.digest ^= textDigest(feed.shownText(row));
  });
  return counts;
}

function dayAt<AnyDay extends Day>(days: readonly AnyDay[], instant: number): AnyDay | undefined {
  let [low, high] = [0, days.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (days[middle]!.begins <= instant) low = middle;
    else high = middle - 1;
  }
  const { begins, ends } = days[low]!;
  return begins <= instant && instant < ends ? days[low] : undefined;
}

/** A state of a row: as it was sealed, or as it is now. */
interface RowState {
  readonly shown: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isOfDays: boolean;
}

/** The rows of some days that a seal shows otherwise than the copy does now. */
async function changedRows(
  { run }: Snapshot,
  database: CopyDatabase,
  feed: FollowedFeed,
  sealed: number,
  days: readonly Day[],
): Promise<string[]> {
  const keys = names(feed.keyColumns);
  const columns = `${keys}, ${milliseconds(feed.extraColumn.name)} AS extra, "row"`;
  const rows = await run(`SELECT * FROM (
      SELECT ${columns}, change, replaced_by, end_reason FROM ${qualified(database, PAST)} UNION ALL
      SELECT ${columns}, since, NULL, NULL FROM ${qualified(database, feed.table)}) AS states
    WHERE change > ${sealed} OR replaced_by > ${sealed} ORDER BY ${keys}, change`);
  const stateOf = (stored?: ResultRows[number]): RowState | undefined => {
    const row = parsed(stored?.row ?? null);
    if (!stored || !row) return undefined;
    const extra = new Date(Number(stored.extra)).toISOString();
    const copiedRow: CopiedRow = { key: keyOf(feed, stored), extra, row };
    return {
      shown: feed.shownText(copiedRow),
      fields: { ...row, [feed.extraColumn.member]: extra },
      isOfDays: dayAt(days, feed.countedAt(copiedRow)) !== undefined,
    };
  };
  const states = new Map<string, ResultRows>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(feed, row));
    states.set(key, [...(states.get(key) ?? []), row]);
  }
  let gone = 0;
  const lines = [...states.values()].flatMap((ofKey) => {
    const last = ofKey.at(-1)!;
    const then = ofKey.find(({ change }) => Number(change) <= sealed);
    if (then && then.row === null) gone += 1;
    const isThere = last.replaced_by === null;
    const [before, after] = [stateOf(then), isThere ? stateOf(last) : undefined];
    if (!before?.isOfDays && !after?.isOfDays) return [];
    if (before?.isOfDays === after?.isOfDays && before?.shown === after?.shown) return [];
    const why = !isThere ? last.end_reason : then ? 'changed' : 'new';
    const key = feed.keyColumns.map(({ name }) => last[name] ?? '-').join(' ');
    const title = `  conversation, session, ticket: ${key}: ${why} by change ${last.replaced_by ?? last.change}`;
    return [title, ...(before && after ? differences(before.fields, after.fields) : [])];
  });
  if (gone > 0) lines.push(`  erased or expired since, of days that are not known any more: ${gone} rows`);
  return lines;
}

function differences(before: RowState['fields'], after: RowState['fields']): string[] {
  const text = (value: unknown) => canonicalJson(value ?? null);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => text(before[field]) !== text(after[field]))
    .map((field) => `    ${field}: ${text(before[field])} -> ${text(after[field])}`);
}

/** @throws CommandError if it is no seal, or was edited */
function parseSeal(text: string): {
  readonly headers: Readonly<Record<string, string>>;
  readonly days: SealedDay[];
} {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = lines.pop() ?? '';
  if (lines[0] !== TITLE) throw new CommandError('the file is no seal of cxp-follow');
  if (last !== `sha256 ${checksum(lines)}`)
    throw new CommandError('the seal was edited: its checksum does not fit; use the file as it was written');
  const headers: Record<string, string> = {};
  const days: SealedDay[] = [];
  for (const line of lines.slice(1)) {
    const [, date, begins, ends, rows, digest] = DAY.exec(line) ?? [];
    const [name, ...words] = line.split(' ') as [string, ...string[]];
    if (!date) headers[name] = words.join(' ');
    else
      days.push({
        ...{ date, begins: Date.parse(begins!), ends: Date.parse(ends!), rows: Number(rows) },
        digest: BigInt.asIntN(64, BigInt(`0x${digest}`)),
      });
  }
  return { headers, days };
}

function checksum(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
