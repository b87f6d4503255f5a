import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildDeployable } from '@cxp/build';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { startPostgres, startRedis, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { contactCenter } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { type Figures, grow } from '../charts/grow';
import { recordGrowth } from '../charts/record-growth';
import { runLoad } from '../load';
import { planSteps, reportProgress } from '../progress';
import { startUnderTest } from '../start-under-test';
import { median } from '../statistics';
import { fillWithCopies, keepOriginals, ORIGINALS } from './fill-conversations';
import { agentEmail, conversationRecords } from './generated-conversations';
import { loadConversations } from './load-conversations';

/** Rows of one organization. 1,000,000 take two minutes to fill in. */
const SIZES = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number);
/** Keeps the rows in this folder, so that they can be measured again without being filled in again. */
const DIRECTORY = process.env.DIRECTORY && resolve(process.env.DIRECTORY);
const SECONDS = 2;
const CONNECTIONS = 4;
const ORGANIZATION = 'bench';
const PLACES = 50;
const INTAKE = { rounds: 3, conversations: 5_000 };

type RequestHeaders = Readonly<Record<string, string>>;

const SESSIONS = '/external/conversation-sessions?perPage=50';
const DIGESTS = '/external/conversation-session-digests?';
const DAY = 'startDate=2025-06-30&endDate=2025-06-30';
const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
const AGENT = `${YEAR}&sessionAgentEmails=${agentEmail(7)}`;
const REASON = `${YEAR}&sessionEndReasons=handoff_to_ai`;
const PAGE_CASES = [
  { name: 'a day, first page', window: DAY, page: 'first' },
  { name: 'a day, last page', window: DAY, page: 'last' },
  { name: 'a year, first page', window: YEAR, page: 'first' },
  { name: 'a year, any page', window: YEAR, page: 'any' },
  { name: 'a year, last page', window: YEAR, page: 'last' },
  { name: 'a year of an agent, any page', window: AGENT, page: 'any' },
  { name: 'a year of an end reason, any page', window: REASON, page: 'any' },
] as const;
const OTHER_CASES = [
  { name: 'digests of a day', path: `${DIGESTS}${DAY}` },
  { name: 'digests of a year', path: `${DIGESTS}${YEAR}` },
  { name: 'changes, the first 100', path: '/external/conversation-session-changes?limit=100' },
];

/**
 * Cost as one organization grows: pages, digests, changes, intake, and the size of tables. Draws the rows' part of the chart of area B.
 */
export async function benchContactCenterGrowth(): Promise<void> {
  planSteps(2 + 2 * SIZES.length);
  const directory = DIRECTORY ?? mkdtempSync(join(tmpdir(), 'cxp-bench-growth-'));
  const data = join(directory, 'data');
  const isFilled = existsSync(data);
  const [postgres, redis] = await Promise.all([startTunedPostgres(data), startRedis()]);
  const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
  reportProgress('build apps/contact-center-export');
  await buildDeployable('apps/contact-center-export');
  const start = () => startUnderTest(contactCenter, { postgres, redis });
  reportProgress(`intake of ${ORIGINALS}`);
  if (!isFilled) await storeOriginals(dataSource, postgres.url, start);
  const [{ headers }] = await dataSource.query<[{ headers: RequestHeaders }]>('TABLE originals.caller');

  const table: Record<string, Record<string, string>> = {};
  const rows = await grow('rows of one organization', SIZES, async (size) => {
    await fillTo(dataSource, size / ORIGINALS);
    const column = size.toLocaleString('en');
    reportProgress(`measure at ${column}`);
    const service = await start();
    const note = (name: string, text: string) => (table[name] = { ...table[name], [column]: text });
    const figures: Record<string, Figures> = {};
    for (const { name, paths } of await requestsOf(service, headers)) {
      let turn = 0;
      const { requestsPerSecond, p50Ms, p99Ms } = await runLoad({
        url: service.url,
        headers,
        nextRequest: () => ({ method: 'GET', path: paths[turn++ % paths.length]! }),
        connections: CONNECTIONS,
        seconds: SECONDS,
        expectedStatus: 200,
      });
      figures[name] = { requestsPerSecond, p99Ms };
      note(name, `${Math.round(requestsPerSecond)}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
    }
    note('intake', `${Math.round(await intakeRate(service, headers))} conversations/s`);
    await service.stop();
    for (const [name, megabytes] of Object.entries(await sizesOf(dataSource))) note(name, `${megabytes} MB`);
    console.table(table);
    return figures;
  });
  recordGrowth('contact-center', [rows]);
  await dataSource.destroy();
  await Promise.all([postgres.stop(), redis.stop()]);
  if (!DIRECTORY) rmSync(directory, { recursive: true });
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

async function storeOriginals(
  dataSource: DataSource,
  databaseUrl: string,
  start: () => Promise<ServiceProcess>,
): Promise<void> {
  for (const area of [accessDatabase, contactCenterDatabase]) await migrate(area, databaseUrl);
  const { headers } = await issueTestToken(dataSource, { organizationId: ORGANIZATION });
  const service = await start();
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

/** What is asked for, one path after the other. */
async function requestsOf(
  service: ServiceProcess,
  headers: RequestHeaders,
): Promise<{ name: string; paths: string[] }[]> {
  const pages = async ({ window, page }: (typeof PAGE_CASES)[number]) => {
    const path = `${SESSIONS}&${window}`;
    const response = await fetch(service.url + path, { headers });
    const { pages: count } = (await response.json()) as { pages: number };
    const numbers = {
      first: [1],
      last: [count],
      any: Array.from({ length: PLACES }, (_, place) => 1 + Math.floor((place * count) / PLACES)),
    };
    return numbers[page].map((number) => `${path}&page=${number}`);
  };
  const cases = await Promise.all(
    PAGE_CASES.map(async (one) => ({ name: one.name, paths: await pages(one) })),
  );
  return [...cases, ...OTHER_CASES.map(({ name, path }) => ({ name, paths: [path] }))];
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
async function sizesOf(dataSource: DataSource): Promise<Record<string, number>> {
  const sizes = await dataSource.query<{ name: string; megabytes: number }[]>(
    `SELECT coalesce(relname, 'all tables') AS name, round(sum(pg_total_relation_size(oid)) / 1e6)::int AS megabytes
     FROM pg_class WHERE relnamespace = 'contact_center'::regnamespace AND relkind = 'r'
     GROUP BY ROLLUP (relname) HAVING sum(pg_total_relation_size(oid)) > 1e6 ORDER BY megabytes DESC`,
  );
  return Object.fromEntries(sizes.map(({ name, megabytes }) => [name, megabytes]));
}
