import { createHash } from 'node:crypto';
import { type CopyDatabase, names, type ResultRows } from './database';
import { CommandError, UsageError } from './errors';
import { type FollowedArea, followedAreas } from './followed-area';
import { PAST } from './history';
import { parsed, type StoredState, stateOf } from './copied-tables';

/** Each is a line of a seal. */
const HEADERS = ['organization', 'area', 'timezone', 'days', 'change', 'schedule', 'time'] as const;
const TITLE = 'cxp seal 1';

/** What a closed period looked like. */
interface Seal {
  readonly headers: Readonly<Record<(typeof HEADERS)[number], string>>;
  /** Row count and digest of each day (in area C: campaign and day) with rows. */
  readonly groups: ReadonlyMap<string, string>;
}

interface Copied {
  readonly area: FollowedArea;
  readonly state: StoredState;
}

/** @throws CommandError if there is no copy that is up to date */
export async function makeSeal(
  database: CopyDatabase,
  first: string,
  last: string,
  wanted?: string,
): Promise<string> {
  const { area, state } = await copied(database, wanted);
  const lines = [
    TITLE,
    `organization ${state.organization}`,
    `area ${area.name}`,
    `timezone ${area.timezone}`,
    `days ${first} ${last}`,
    `change ${state.change}`,
    `schedule ${state.schedule ?? 'none'}`,
    `time ${new Date().toISOString()}`,
    ...[...(await groupsOf(database, area, first, last))].map(([group, content]) => `${group} ${content}`),
  ];
  return `${lines.join('\n')}\nsha256 ${checksum(lines)}\n`;
}

/** @returns a line for each difference */
export async function checkSeal(database: CopyDatabase, text: string): Promise<string[]> {
  const { headers, groups } = parseSeal(text);
  const { area, state } = await copied(database, headers.area);
  const { organization, timezone, days, change, schedule } = headers;
  for (const [what, sealed, held] of [
    ['organization', organization, state.organization],
    ['timezone', timezone, area.timezone],
  ] as const)
    if (sealed !== held)
      throw new UsageError(
        `the seal is of ${what} ${sealed}, the copy of ${held}: check it against a copy of ${sealed}`,
      );
  if (Number(change) > state.change)
    throw new CommandError(
      `the seal is of change ${change}, the copy of ${state.change}: run cxp-follow --once first`,
    );
  const now = await groupsOf(database, area, ...(days.split(' ') as [string, string]));
  const differing = [...new Set([...groups.keys(), ...now.keys()])]
    .filter((group) => groups.get(group) !== now.get(group))
    .sort();
  const count = (content = '0') => content.split(' ')[0]!;
  const lines = differing.map(
    (group) => `${group}: ${count(groups.get(group))} rows when it was sealed, ${count(now.get(group))} now`,
  );
  if (schedule !== (state.schedule ?? 'none'))
    lines.push('the human schedule is another one: business hours may differ on every day');
  if (differing.length === 0 || area.name !== 'contact-center') return lines;
  if (state.historyFrom === null || state.historyFrom > Number(change))
    return [...lines, 'which rows differ is known only to a copy whose --history began before the seal'];
  return [...lines, ...(await changedRows(database, area, Number(change), differing))];
}

/** @throws CommandError, UsageError */
async function copied(database: CopyDatabase, wanted?: string): Promise<Copied> {
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
  const columns = `${keys}, ${daySql} AS day, "row"`;
  const list = days.map((day) => `'${day}'`).join();
  const states = `SELECT ${columns}, change, replaced_by, end_reason FROM ${PAST} UNION ALL
    SELECT ${columns}, coalesce(since, change), CAST(NULL AS bigint), CAST(NULL AS text) FROM ${table}`;
  const differs = `(change > ${sealed} OR replaced_by > ${sealed})`;
  const rows = await database.transaction((run) =>
    run(`WITH states AS (${states})
      SELECT * FROM states WHERE ${differs} AND conversation_id IN (
        SELECT conversation_id FROM states WHERE ${differs} AND (day IN (${list}) OR day IS NULL))
      ORDER BY ${keys}, change`),
  );
  const byKey = new Map<string, ResultRows>();
  for (const row of rows) {
    const key = keyColumns.map(({ name }) => row[name] ?? '-').join(' ');
    byKey.set(key, [...(byKey.get(key) ?? []), row]);
  }
  return [...byKey].flatMap(([key, all]) => {
    const before = all.find(({ change }) => Number(change) <= sealed);
    const after = all.find(({ replaced_by: end }) => end === null);
    const last = all.at(-1)!;
    if (![before, after].some((state) => state && (state.day === null || days.includes(String(state.day)))))
      return [];
    const change = after ? after.change : last.replaced_by;
    const why = after ? (before ? 'changed' : 'new') : last.end_reason;
    const title = `  conversation, session, ticket: ${key}: ${why} by change ${change}`;
    return [title, ...(before && after ? fieldsOf(before.row, after.row) : [])];
  });
}

function fieldsOf(before: unknown, after: unknown): string[] {
  const [one, other] = [parsed(before) ?? {}, parsed(after) ?? {}];
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((field) => text(one[field]) !== text(other[field]))
    .map((field) => `    ${field}: ${text(one[field])} -> ${text(other[field])}`);
}

/** @throws CommandError if it is no seal, or was edited */
function parseSeal(text: string): Seal {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = lines.pop() ?? '';
  if (lines[0] !== TITLE) throw new CommandError('the file is no seal of cxp-follow');
  if (last !== `sha256 ${checksum(lines)}`)
    throw new CommandError('the seal was edited: its checksum does not fit; use the file as it was written');
  const headers = lines.slice(1, 1 + HEADERS.length).map((line) => splitAt(line, line.indexOf(' ')));
  const groups = lines.slice(1 + HEADERS.length).map((line) => {
    const words = line.split(' ');
    return [words.slice(0, -2).join(' '), words.slice(-2).join(' ')] as const;
  });
  return { headers: Object.fromEntries(headers) as Seal['headers'], groups: new Map(groups) };
}

function splitAt(line: string, place: number): [string, string] {
  return [line.slice(0, place), line.slice(place + 1)];
}

function checksum(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
