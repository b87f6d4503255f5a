import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CxpClient } from '@cxp/client';
import { heldStates, type StoredState } from '../copied-tables';
import {
  CommandError,
  type CopyDatabase,
  milliseconds,
  qualified,
  type ResultRows,
  type Run,
} from '../database';
import { checkPeriod, dateAfter, daysIn, parseDate } from '../days';
import { followedFeeds } from '../followed-feed';
import { type Demo, openCopy, parseTarget, parseUrl, schemaOption } from '../target';
import {
  conversationQueries,
  printedStatement,
  type ReportPeriod,
  statementOf,
  surveyQueries,
} from './report-queries';
import type { Report } from './report-values';

interface ReportOptions {
  readonly to: string;
  readonly schema: string;
  readonly area?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly targetSeconds: number;
  readonly output?: string;
  readonly url?: string;
  readonly token?: string;
  readonly sql?: boolean;
}

function parseSeconds(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be whole seconds, from 0 to 9999999.');
}

export function reportCommand(demo?: () => Demo): Command {
  return new Command('report')
    .description('write a page that shows a team how its week was, from the views of a copy')
    .requiredOption('--to <target>', 'the copy: postgres://… or FILE.duckdb', parseTarget)
    .addOption(schemaOption())
    .addOption(new Option('--area <area>', 'this area only').choices(followedFeeds.map(({ name }) => name)))
    .option(
      '--start-date <day>',
      'first day, in the timezone of the copy; without days the last whole week',
      parseDate,
    )
    .option('--end-date <day>', 'last day', parseDate)
    .option('--target-seconds <seconds>', 'a wait that is in time', parseSeconds, 120)
    .option('--output <file>', 'where the page is written; else to standard output')
    .addOption(
      new Option('--url <url>', 'base URL of the contact center, which explains the longest waits')
        .env('CXP_URL')
        .argParser(parseUrl),
    )
    .addOption(new Option('--token <token>', 'API token for it').env('CXP_TOKEN'))
    .option('--sql', 'print the queries in place of the page')
    .action((options: ReportOptions) => report(options, demo));
}

async function report(options: ReportOptions, demo?: () => Demo): Promise<void> {
  const { to, schema, startDate, endDate, output } = options;
  if ((startDate ?? endDate) !== undefined) checkPeriod('a report', 'neither', startDate, endDate);
  const database = await openCopy(to, schema);
  try {
    const text = await makeReport(database, options, (organization) => {
      const client = serviceOf(organization, options, demo);
      return client && explainBy(client);
    });
    if (output === undefined) process.stdout.write(text);
    else await writeFile(output, text);
  } finally {
    await database.close();
  }
}

/** @returns what explains a row of the longest waits */
export type Explain = (longest: ResultRows[number], timezone: string) => Promise<Report['explained'][number]>;

type MakeOptions = Pick<ReportOptions, 'area' | 'startDate' | 'endDate' | 'targetSeconds' | 'sql'>;

/** @throws CommandError if there is no copy that is up to date, or it has no views */
export async function makeReport(
  database: CopyDatabase,
  options: MakeOptions,
  explainFor?: (organizationId: string) => Explain | undefined,
  now = Date.now(),
): Promise<string> {
  const read = await database.snapshot(async ({ run }) => {
    const held = await heldStates(run, database, options.area, 'cxp-follow --once --views');
    const stateOf = (name: string) => held.find(({ area }) => area === name);
    const [contactCenter, survey] = [stateOf('contact-center'), stateOf('survey')];
    const state = contactCenter ?? held[0];
    const period = periodOf(state, options, now);
    const queries = {
      conversations: contactCenter && conversationQueries(period),
      surveys: survey && (await hasViews(run, database, 'campaign')) ? surveyQueries() : undefined,
    };
    if (!queries.surveys && !(contactCenter && (await hasViews(run, database, 'session'))))
      throw new CommandError(`the copy has no views: run cxp-follow --once --views first`);
    if (options.sql) return printed(queries, database, period);
    const answered = async <Queries extends object>(all: Queries | undefined) =>
      all && ((await answersOf(run, database, period, all)) as Record<keyof Queries, ResultRows>);
    const [checked] = await run(
      `SELECT ${milliseconds('checked_at')} AS at FROM ${qualified(database, 'follow_state')} WHERE area = $1`,
      [state.area],
    );
    return {
      ...{ organization: state.organization, schema: database.schema, period, change: state.change },
      checkedAt: checked?.at === null ? null : Number(checked!.at),
      hasSchedule: state.schedule !== null,
      conversations: await answered(queries.conversations),
      surveys: await answered(queries.surveys),
    };
  });
  if (typeof read === 'string') return read;
  // Loaded here: it brings what draws the page.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { renderReport } = require('./report-page') as typeof import('./report-page');
  return renderReport({ ...read, explained: await explanations(read, explainFor?.(read.organization)) });
}

async function answersOf(run: Run, { schema }: CopyDatabase, period: ReportPeriod, queries: object) {
  const answers: Record<string, ResultRows> = {};
  for (const [name, sql] of Object.entries(queries) as [string, string][]) {
    const statement = statementOf(sql, schema, period);
    answers[name] = await run(statement, statement.includes('$1') ? [period.timezone] : []);
  }
  return answers;
}

function printed(queries: object, { schema }: CopyDatabase, period: ReportPeriod): string {
  return Object.values(queries)
    .flatMap((all: Record<string, string> | undefined) => Object.entries(all ?? {}))
    .map(([name, sql]) => printedStatement(name, sql, schema, period))
    .join('\n');
}

async function hasViews(run: Run, { schema }: CopyDatabase, view: string): Promise<boolean> {
  const found = await run(
    'SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2',
    [schema, view],
  );
  return found.length > 0;
}

/** The days of the options, or the last whole week in the timezone of the copy. */
function periodOf(
  { area, ...state }: StoredState,
  { startDate, endDate, targetSeconds }: MakeOptions,
  now: number,
): ReportPeriod {
  // The fixed offset of surveys, by a name that both databases know.
  const timezone = area === 'survey' ? 'Asia/Bangkok' : state.timezone;
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(now);
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  const first = startDate ?? dateAfter(today, -sinceMonday - 7);
  const last = endDate ?? dateAfter(first, 6);
  const days = daysIn({ startDate: first, endDate: last });
  return {
    ...{ timezone, targetSeconds, startDate: first, endDate: last },
    ...{ beforeStart: dateAfter(first, -days), beforeEnd: dateAfter(first, -1) },
    isShort: days <= 7,
    unit: days <= 31 ? 'day' : days <= 186 ? 'week' : 'month',
  };
}

/** If the service does not explain some of the longest waits, one line says so, and the page has their commands. */
async function explanations(
  { conversations, period }: Omit<Report, 'explained'>,
  explain: Explain | undefined,
): Promise<Report['explained']> {
  const longest = explain ? (conversations?.longest ?? []) : [];
  const asked = await Promise.allSettled(longest.map((row) => explain!(row, period.timezone)));
  const failed = asked.filter((each) => each.status === 'rejected');
  if (failed.length > 0) {
    const [line] = (failed[0]!.reason as Error).message.split('\n');
    process.stderr.write(`${failed.length} of ${asked.length} waits are not explained: ${line}\n`);
  }
  return asked.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
}

export function explainBy(client: CxpClient): Explain {
  return async ({ conversation_id: id, session_index: index }, timezone) => {
    const chosen = { timezone, sessionIndex: Number(index) };
    return (await client.conversationSessions.explanation(id as string, chosen)).rows[0];
  };
}

function serviceOf(
  organizationId: string,
  { url, token }: ReportOptions,
  demo?: () => Demo,
): CxpClient | undefined {
  const retry = { maxRetries: 3 };
  if (url && token) return new CxpClient({ organizationId, token, urls: { contactCenter: url }, retry });
  if (url || token || !demo) return undefined;
  try {
    const { urls, ...facts } = demo();
    if (facts.organizationId !== organizationId) return undefined;
    return new CxpClient({ organizationId, token: facts.token, urls, retry });
  } catch {
    return undefined;
  }
}
