import { once } from 'node:events';
import { Command, Option } from 'commander';
import { CxpClient } from '@cxp/client';
import { UsageError } from './database';
import { parseTimezone } from './days';
import fields from './fields.json';
import { type FollowedFeed, followedFeeds } from './followed-feed';
import { Follower } from './follower';
import { reportCommand } from './report/report.command';
import { sealCommand } from './seal';
import { type Demo, openTarget, parseTarget, parseUrl, schemaOption } from './target';
import { TableCopy } from './table-copy';

/** Lines of standard output wait for an unavailable service; with `--once` it gives up. */
const ENDLESS_RETRIES = 1_000_000;
/** A follower without `--once` says soon that the service is away, and goes on trying by itself. */
const FEW_RETRIES = { maxRetries: 1, maxDelayMs: 5_000 };
/** Services answer, or refuse, within 2 seconds. Twice this and `WAIT_SECONDS` is less than the 40 seconds of `checked_at`. */
const SILENCE_MS = 8_000;
/** And that the file is open elsewhere. */
const FILE_WAIT_MS = 5_000;

export interface FollowCommandContext {
  readonly name?: string;
  /** @throws if there is none */
  readonly demo?: () => Demo;
}

interface FollowCommandOptions {
  readonly area?: FollowedFeed['name'];
  readonly to?: string;
  readonly schema: string;
  readonly organization?: string;
  readonly url?: string;
  readonly token?: string;
  readonly cursor?: string;
  readonly once?: boolean;
  readonly verify?: boolean;
  readonly timezone?: string;
  readonly views?: boolean;
  readonly history?: boolean;
  readonly json?: boolean;
}

export function followCommand({ name = 'follow', demo }: FollowCommandContext = {}): Command {
  return (
    new Command(name)
      .description('keep a copy of the rows of an area in step: each change once, removals too')
      .addOption(
        new Option('--area <area>', 'what is followed').choices(followedFeeds.map((each) => each.name)),
      )
      .option(
        '--to <target>',
        'postgres://… (15 or newer): your own database; FILE.duckdb; -: standard output',
        parseTarget,
      )
      .addOption(schemaOption())
      .option('--organization <id>', 'the organization of the token')
      .addOption(new Option('--url <url>', 'base URL of the area').env('CXP_URL').argParser(parseUrl))
      .addOption(new Option('--token <token>', 'API token').env('CXP_TOKEN'))
      .option('--cursor <cursor>', 'with --to -: go on after the line that had it')
      .option('--once', 'end when there is nothing more')
      .option('--verify', 'compare digests when up to date, and read the copy again if they differ')
      .option(
        '--timezone <zone>',
        `whose business hours the copy has (${fields.timezone}); area contact-center`,
        parseTimezone,
      )
      .option('--views', 'make views in the schema: sessions, figures, targets; campaigns, answers, metrics')
      .option(
        '--history',
        'keep each state of a row that was read: session_history, as_of(change), as_of_time(time); area contact-center',
      )
      .option('--json', 'with --once: print one JSON object at the end')
      .action((options: FollowCommandOptions) => follow(options, demo))
      // They have their own --to.
      .enablePositionalOptions()
      .addCommand(sealCommand())
      .addCommand(reportCommand(demo))
  );
}

async function follow(options: FollowCommandOptions, demo: FollowCommandContext['demo']): Promise<void> {
  const { to, schema, once = false, verify = false, json, timezone, views, history } = options;
  const feed = followedFeeds.find(({ name }) => name === options.area);
  if (!feed) throw new UsageError('--area is needed: contact-center or survey');
  if (to === undefined) throw new UsageError('--to is needed: postgres://…, FILE.duckdb or -');
  if (to === '-' && (verify || views || history))
    throw new UsageError('--verify, --views and --history need a database in --to');
  if (to !== '-' && options.cursor) throw new UsageError('--cursor is for --to - only: a copy has its own');
  if (feed.name === 'survey' && (timezone || history))
    throw new UsageError('--timezone and --history are for --area contact-center');
  const { organizationId, client } = connect(feed, options, demo);
  if (to === '-') {
    await printLines(timezone === undefined ? feed : feed.inTimezone(timezone), client, options);
    return;
  }
  const database = await openTarget(to, schema, once ? undefined : FILE_WAIT_MS);
  try {
    const copy = new TableCopy(database, feed, organizationId, { timezone, views, history });
    const report = (line: string) => process.stderr.write(`${line}\n`);
    const summary = await new Follower(client, copy, { once, verify, report }).run();
    if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  } finally {
    await database.close();
  }
}

/** The service's lines, each with its cursor. */
async function printLines(
  feed: FollowedFeed,
  client: CxpClient,
  { cursor, once: isOnce = false }: FollowCommandOptions,
): Promise<void> {
  const { stdout } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`cxp-follow: standard output: ${error.message}\n`);
    process.exit(1);
  });
  for await (const line of feed.lines(client, { cursor, once: isOnce })) {
    if (!stdout.write(`${JSON.stringify(line)}\n`)) await once(stdout, 'drain');
  }
}

/** The service of the options; by default the demo organization of the local stack. */
function connect(
  feed: FollowedFeed,
  options: FollowCommandOptions,
  demo: FollowCommandContext['demo'],
): { organizationId: string; client: CxpClient } {
  const { url, token, organization } = options;
  const retry = options.once ? {} : options.to === '-' ? { maxRetries: ENDLESS_RETRIES } : FEW_RETRIES;
  const limits = { retry, ...(retry === FEW_RETRIES && { timeoutMs: SILENCE_MS }) };
  if (!url && !token && !organization && demo) {
    const { organizationId, urls, ...facts } = demo();
    return { organizationId, client: new CxpClient({ organizationId, token: facts.token, urls, ...limits }) };
  }
  if (!url) throw new UsageError('--url or CXP_URL is needed with --organization and --token');
  if (!token) throw new UsageError('--token or CXP_TOKEN is needed with --organization and --url');
  if (!organization) throw new UsageError('--organization is needed with --url and --token');
  return {
    organizationId: organization,
    client: new CxpClient({ organizationId: organization, token, urls: { [feed.urlKey]: url }, ...limits }),
  };
}
