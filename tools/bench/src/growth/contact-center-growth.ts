import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { startPostgres, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { contactCenter } from '@cxp/services/service-under-test';
import { BenchStack, type RequestHeaders } from '../bench-stack';
import { fillWithCopies, keepOriginals, ORIGINALS } from '../export/fill-conversations';
import { agentEmail, conversationRecords } from '../export/generated-conversations';
import { loadConversations } from '../export/load-conversations';
import type { Load } from '../load';
import { reportProgress } from '../progress';
import { median } from '../statistics';
import { measureRequests, sizesOf, type Figures, type Growth } from './growth';

/** Keeps the rows in this folder, so that they can be measured again without being filled in again. */
const DIRECTORY = process.env.DIRECTORY && resolve(process.env.DIRECTORY);
const SECONDS = 2;
const CONNECTIONS = 4;
const PLACES = 50;
const INTAKE = { rounds: 3, conversations: 5_000 };

const SESSIONS = '/external/conversation-sessions?perPage=50';
const DIGESTS = '/external/conversation-session-digests?';
const DAY = 'startDate=2025-06-30&endDate=2025-06-30';
const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
const AGENT = `${YEAR}&sessionAgentEmails=${agentEmail(7)}`;
const REASON = `${YEAR}&sessionEndReasons=handoff_to_ai`;
const PAGES = [
  { name: 'a day, first page', window: DAY, page: 'first' },
  { name: 'a day, last page', window: DAY, page: 'last' },
  { name: 'a year, first page', window: YEAR, page: 'first' },
  { name: 'a year, any page', window: YEAR, page: 'any' },
  { name: 'a year, last page', window: YEAR, page: 'last' },
  { name: 'a year of an agent, any page', window: AGENT, page: 'any' },
  { name: 'a year of an end reason, any page', window: REASON, page: 'any' },
] as const;
type PageName = (typeof PAGES)[number]['name'];

/**
 * Area B as one organization grows: pages, digests, changes, and, printed only, the intake and the sizes of tables. 1,000,000 rows take
 * two minutes to fill in.
 */
export async function contactCenterRows(): Promise<Growth> {
  const directory = DIRECTORY ?? mkdtempSync(join(tmpdir(), 'cxp-bench-growth-'));
  const data = join(directory, 'data');
  const isFilled = existsSync(data);
  const stack = await BenchStack.start(contactCenter, () => startTunedPostgres(data));
  const { dataSource } = stack;
  if (!isFilled) await storeOriginals(stack);
  const [{ headers }] = await dataSource.query<[{ headers: RequestHeaders }]>('TABLE originals.caller');
  return {
    dimensions: [
      {
        name: 'rows of one organization',
        sizes: sizesOf('SIZES', [10_000, 100_000, 1_000_000]),
        measure: async (size) => {
          await fillTo(dataSource, size / ORIGINALS);
          const service = await stack.startService();
          const figures: Record<string, Figures | string> = await measureRequests(
            { url: service.url, headers, connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 200 },
            {
              ...(await pageRequests(service, headers)),
              'digests of a day': inTurn([`${DIGESTS}${DAY}`]),
              'digests of a year': inTurn([`${DIGESTS}${YEAR}`]),
              'changes, the first 100': inTurn(['/external/conversation-session-changes?limit=100']),
            },
          );
          figures.intake = `${Math.round(await intakeRate(service, headers))} conversations/s`;
          await service.stop();
          return { ...figures, ...(await tableSizes(dataSource)) };
        },
      },
    ],
    stop: async () => {
      await stack.stop();
      if (!DIRECTORY) rmSync(directory, { recursive: true });
    },
  };
}

const CLIENTS_MEASURED: readonly PageName[] = [
  'a day, first page',
  'a year, any page',
  'a year of an agent, any page',
];
const CLIENTS_ROWS = 20_000;
const ORGANIZATIONS = 32;
const INTAKE_CONVERSATIONS = 20;
/** The numbers of conversations that are not stored yet. */
const NEW_CONVERSATIONS = { start: 10_000_000, end: 20_000_000 };
/** Intakes of one organization that may be under way at once, less those that are about to end. */
const INTAKES_AT_ONCE = 2;

/** Area B as concurrent clients grow: pages of one organization, intakes of many. About a minute. */
export async function contactCenterClients(): Promise<Growth> {
  const stack = await BenchStack.start(contactCenter);
  const service = await stack.startService();
  const callers: RequestHeaders[] = [];
  while (callers.length < ORGANIZATIONS) callers.push(await stack.addOrganization(`bench-${callers.length}`));
  const [headers] = callers as [RequestHeaders];
  await loadConversations({ url: service.url, headers }, CLIENTS_ROWS);
  await stack.dataSource.query('VACUUM (ANALYZE)');
  const pages = await pageRequests(service, headers, CLIENTS_MEASURED);
  const intake = { 'intake of 20 conversations': newIntakes(callers) };
  return {
    dimensions: [
      {
        name: 'concurrent clients',
        sizes: sizesOf('CLIENTS', [1, 4, 16, 64, 256]),
        measure: (connections) =>
          measureRequests(
            { url: service.url, headers, connections, seconds: SECONDS, expectedStatus: 200 },
            { ...pages, ...(connections <= INTAKES_AT_ONCE * ORGANIZATIONS && intake) },
          ),
      },
    ],
    stop: () => stack.stop(),
  };
}

/** As a throw-away server has them, also for one whose folder is kept; and what makes filling fast. */
const SETTINGS = [
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  'wal_level = minimal',
  'max_wal_senders = 0',
  "max_wal_size = '3GB'",
  "maintenance_work_mem = '1GB'",
  'max_parallel_maintenance_workers = 0',
];

async function startTunedPostgres(data: string): Promise<LocalServer> {
  const first = await startPostgres({ directory: data });
  const client = new Client({ connectionString: first.url });
  await client.connect();
  for (const setting of SETTINGS) await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.end();
  await first.stop();
  return startPostgres({ directory: data });
}

async function storeOriginals(stack: BenchStack): Promise<void> {
  reportProgress(`intake of ${ORIGINALS}`);
  const { dataSource } = stack;
  const headers = await stack.addOrganization('bench');
  const service = await stack.startService();
  await loadConversations({ url: service.url, headers }, ORIGINALS);
  await service.stop();
  await keepOriginals(dataSource);
  await dataSource.query('CREATE TABLE originals.caller (headers json)');
  await dataSource.query('INSERT INTO originals.caller VALUES ($1)', [JSON.stringify(headers)]);
  await dataSource.query('CREATE TABLE originals.copies (count integer)');
}

async function fillTo(dataSource: DataSource, copies: number): Promise<void> {
  const [filled] = await dataSource.query<{ count: number }[]>('TABLE originals.copies');
  if (filled?.count === copies) return;
  await dataSource.query('TRUNCATE originals.copies');
  await fillWithCopies(dataSource, copies);
  await dataSource.query('INSERT INTO originals.copies VALUES ($1)', [copies]);
}

/** Pages of every window, or of some: `any` is at 50 places of it, one after the other. */
async function pageRequests(
  { url }: ServiceProcess,
  headers: RequestHeaders,
  names: readonly PageName[] = PAGES.map(({ name }) => name),
): Promise<Record<string, Load['nextRequest']>> {
  const requests: Record<string, Load['nextRequest']> = {};
  for (const { name, window, page } of PAGES.filter((one) => names.includes(one.name))) {
    const path = `${SESSIONS}&${window}`;
    const { pages } = (await (await fetch(url + path, { headers })).json()) as { pages: number };
    const numbers = {
      first: [1],
      last: [pages],
      any: Array.from({ length: PLACES }, (_, place) => 1 + Math.floor((place * pages) / PLACES)),
    };
    requests[name] = inTurn(numbers[page].map((number) => `${path}&page=${number}`));
  }
  return requests;
}

function inTurn(paths: readonly string[]): Load['nextRequest'] {
  let turn = 0;
  return () => ({ method: 'GET', path: paths[turn++ % paths.length]! });
}

/** @returns what makes the next intake, of each organization in turn */
function newIntakes(callers: readonly RequestHeaders[]): Load['nextRequest'] {
  let first = NEW_CONVERSATIONS.start;
  return () => {
    first += INTAKE_CONVERSATIONS;
    const caller = callers[(first / INTAKE_CONVERSATIONS) % callers.length]!;
    return {
      method: 'POST',
      path: '/internal/records',
      body: [...conversationRecords(INTAKE_CONVERSATIONS, NEW_CONVERSATIONS.end, first)].join(''),
      headers: { ...caller, 'content-type': 'application/x-ndjson' },
    };
  };
}

/** Above the ids of copied tickets. */
const FIRST_NEW_TICKET = Date.now();
let conversationsSent = 0;

/** Conversations per second, one request after the other, with ids that are spread over the stored ones. */
async function intakeRate({ url }: ServiceProcess, headers: RequestHeaders): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < INTAKE.rounds; round++) {
    const firstTicket = FIRST_NEW_TICKET + conversationsSent;
    const run = `${Date.now()}-${round}`;
    const body = [...conversationRecords(INTAKE.conversations, INTAKE.conversations, 0)]
      .join('')
      .replace(/conversation-(\d+)/g, (_, id: string) => `c${(Number(id) * 7919) % 1000}-${id}-${run}`)
      .replace(/"id":(\d+),/g, (_, id: string) => `"id":${firstTicket + Number(id)},`);
    conversationsSent += INTAKE.conversations;
    const start = performance.now();
    const response = await fetch(`${url}/internal/records`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body,
    });
    if (response.status !== 200)
      throw new Error(`intake answered ${response.status}: ${await response.text()}`);
    rates.push(INTAKE.conversations / ((performance.now() - start) / 1_000));
  }
  return median(rates);
}

/** Tables with their indexes, the largest first, and all together. */
async function tableSizes(dataSource: DataSource): Promise<Record<string, string>> {
  const sizes = await dataSource.query<{ name: string; megabytes: number }[]>(
    `SELECT coalesce(relname, 'all tables') AS name, round(sum(pg_total_relation_size(oid)) / 1e6)::int AS megabytes
     FROM pg_class WHERE relnamespace = 'contact_center'::regnamespace AND relkind = 'r'
     GROUP BY ROLLUP (relname) HAVING sum(pg_total_relation_size(oid)) > 1e6 ORDER BY megabytes DESC`,
  );
  return Object.fromEntries(sizes.map(({ name, megabytes }) => [name, `${megabytes} MB`]));
}
