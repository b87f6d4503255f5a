import { access, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, type CopyDatabase, names, type ResultRows, UsageError } from './database';
import { type FollowedArea, followedAreas } from './followed-area';
import { isFile, openTarget, parseTarget } from './databases';
import { PAST, stateOf, type StoredState } from './copied-tables';

interface SealOptions {
  readonly to: string;
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
    .addOption(
      new Option('--area <area>', 'if the database has copies of both').choices(
        followedAreas.map(({ name }) => name),
      ),
    )
    .option('--start-date <day>', 'first day, in the timezone of the copy', parseDay)
    .option('--end-date <day>', 'last day', parseDay)
    .option('--output <file>', 'where the seal is written; else to standard output')
    .option('--check <file>', 'a seal: shows the days that are different now, and with a history their rows')
    .action(seal);
}

async function seal({ to, area, startDate, endDate, output, check }: SealOptions): Promise<void> {
  if (to === '-') throw new UsageError('--to is the copy: postgres://… or FILE.duckdb');
  if (check !== undefined && (startDate ?? endDate ?? output) !== undefined)
    throw new UsageError('--check stands alone: days are those of the seal');
  if (check === undefined && (startDate === undefined || endDate === undefined || startDate > endDate))
    throw new UsageError('--start-date and a later or equal --end-date are needed, or --check');
  const sealed = check === undefined ? undefined : await readFile(check, 'utf8');
  // DuckDB would create it.
  if (isFile(to)) await access(to);
  const database = await openTarget(to);
  try {
    if (sealed === undefined) {
      const text = await makeSeal(database, startDate!, endDate!, area);
      if (output === undefined) process.stdout.write(text);
      else await writeFile(output, text);
      return;
    }
    const lines = await checkSeal(database, sealed);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length > 0) throw new CommandError('the period is not as it was sealed');
    process.stdout.write('all is as it was sealed\n');
  } finally {
    await database.close();
  }
}

function parseDay(day: string): string {
  const time = Date.parse(day);
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day))
    return day;
  throw new InvalidArgumentError('It must be a day, for instance 2026-03-01.');
}

const TITLE = 'cxp seal 1';
/** The line of a day (in area C: of a campaign and a day) with rows: their count and digest. */
const GROUP = /^(.*) (\d+ [0-9a-f]{16})$/;

/** @throws CommandError if there is no copy that is up to date */
export async function makeSeal(
  database: CopyDatabase,
  first: string,
  last: string,
  wanted?: string,
): Promise<string> {
  const { area, state } = await copied(database, wanted);
  const headers = {
    organization: state.organization,
    area: area.name,
    timezone: area.timezone,
    days: `${first} ${last}`,
    change: state.change,
    schedule: state.schedule ?? 'none',
    time: new Date().toISOString(),
  };
  const all = [...Object.entries(headers), ...(await groupsOf(database, area, first, last))];
  const lines = [TITLE, ...all.map((words) => words.join(' '))];
  return `${lines.join('\n')}\nsha256 ${checksum(lines)}\n`;
}

/** @returns a line for each difference */
export async function checkSeal(database: CopyDatabase, text: string): Promise<string[]> {
  const { headers, groups } = parseSeal(text);
  const { area, state } = await copied(database, headers.area);
  for (const [what, held] of Object.entries({ organization: state.organization, timezone: area.timezone }))
    if (headers[what] !== held)
      throw new UsageError(
        `the seal is of ${what} ${headers[what]}, the copy of ${held}: check it against a copy of ${headers[what]}`,
      );
  const change = Number(headers.change);
  if (change > state.change)
    throw new CommandError(
      `the seal is of change ${change}, the copy of ${state.change}: run cxp-follow --once first`,
    );
  const [first, last] = headers.days!.split(' ') as [string, string];
  const now = await groupsOf(database, area, first, last);
  const differing = [...new Set([...groups.keys(), ...now.keys()])]
    .filter((group) => groups.get(group) !== now.get(group))
    .sort();
  const count = (content = '0') => content.split(' ')[0]!;
  const lines = differing.map(
    (group) => `${group}: ${count(groups.get(group))} rows when it was sealed, ${count(now.get(group))} now`,
  );
  if (headers.schedule !== (state.schedule ?? 'none'))
    lines.push('the human schedule is another one: business hours may differ on every day');
  if (differing.length === 0 || area.name !== 'contact-center') return lines;
  if (state.historyFrom === null || state.historyFrom > change)
    return [...lines, 'which rows differ is known only to a copy whose --history began before the seal'];
  return [...lines, ...(await changedRows(database, area, change, differing))];
}

/** @throws CommandError, UsageError */
async function copied(
  database: CopyDatabase,
  wanted?: string,
): Promise<{ readonly area: FollowedArea; readonly state: StoredState }> {
  return database.transaction(async (run) => {
    const areas: ResultRows = await run('SELECT area FROM cxp_follow_state').catch(() => []);
    const held = areas.filter(({ area }) => wanted === undefined || area === wanted);
    if (held.length > 1) throw new UsageError('the database has copies of both areas: --area names one');
    const area = followedAreas.find(({ name }) => name === held[0]?.area);
    if (!area)
      throw new CommandError(`there is no copy of ${wanted ?? 'an area'}: run cxp-follow --once first`);
    const state = await stateOf(run, area);
    if (!state.isCurrent) throw new CommandError('the copy is not up to date: run cxp-follow --once first');
    return { area: area.inTimezone(state.timezone), state };
  });
}

async function groupsOf(
  database: CopyDatabase,
  { table, groupSql, daySql }: FollowedArea,
  first: string,
  last: string,
): Promise<Map<string, string>> {
  const rows = await database.transaction((run) =>
    run(
      `SELECT ${groupSql} AS period, count(*) AS count, ${database.xorOfDigests('digest')} AS digest
       FROM ${table} WHERE ${daySql} BETWEEN $1 AND $2 GROUP BY ${groupSql} ORDER BY 1`,
      [first, last],
    ),
  );
  return new Map(rows.map(({ period, count, digest }) => [String(period), `${count} ${digest}`]));
}

/** The rows of some days that changed after a number. */
async function changedRows(
  database: CopyDatabase,
  { keyColumns, daySql, table }: FollowedArea,
  sealed: number,
  days: readonly string[],
): Promise<string[]> {
  const keys = names(keyColumns);
  const columns = `${keys}, ${daySql} AS day, CAST("row" AS text) AS text`;
  const list = days.map((day) => `'${day}'`).join();
  const wasSealed = `change <= ${sealed}`;
  const isThere = 'replaced_by IS NULL';
  const rows = await database.transaction((run) =>
    run(`SELECT ${keys}, max(coalesce(replaced_by, change)) AS change,
        max(text) FILTER (WHERE ${wasSealed}) AS before, max(text) FILTER (WHERE ${isThere}) AS after,
        CASE WHEN NOT bool_or(${isThere}) THEN (array_agg(end_reason ORDER BY change DESC))[1]
          WHEN bool_or(${wasSealed}) THEN 'changed' ELSE 'new' END AS why
      FROM (SELECT ${columns}, change, replaced_by, end_reason FROM ${PAST} UNION ALL
        SELECT ${columns}, coalesce(since, change), NULL, NULL FROM ${table}) AS states
      WHERE change > ${sealed} OR replaced_by > ${sealed}
      GROUP BY ${keys}
      HAVING bool_or((day IN (${list}) OR day IS NULL) AND (${wasSealed} OR ${isThere})) ORDER BY ${keys}`),
  );
  return rows.flatMap(({ change, before, after, why, ...key }) => {
    const named = keyColumns.map(({ name }) => key[name] ?? '-').join(' ');
    const title = `  conversation, session, ticket: ${named}: ${why} by change ${change}`;
    return [title, ...(before && after ? fieldsOf(String(before), String(after)) : [])];
  });
}

function fieldsOf(before: string, after: string): string[] {
  const [one, other] = [before, after].map((row) => JSON.parse(row) as Record<string, unknown>);
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return [...new Set([...Object.keys(one!), ...Object.keys(other!)])]
    .filter((field) => text(one![field]) !== text(other![field]))
    .map((field) => `    ${field}: ${text(one![field])} -> ${text(other![field])}`);
}

/** @throws CommandError if it is no seal, or was edited */
function parseSeal(text: string) {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = lines.pop() ?? '';
  if (lines[0] !== TITLE) throw new CommandError('the file is no seal of cxp-follow');
  if (last !== `sha256 ${checksum(lines)}`)
    throw new CommandError('the seal was edited: its checksum does not fit; use the file as it was written');
  const headers: Record<string, string> = {};
  const groups = new Map<string, string>();
  for (const line of lines.slice(1)) {
    const [, group, content] = GROUP.exec(line) ?? [];
    const [name, ...words] = line.split(' ') as [string, ...string[]];
    if (group) groups.set(group, content!);
    else headers[name] = words.join(' ');
  }
  return { headers, groups };
}

function checksum(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
