import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { contactCenter } from '@cxp/services/service-under-test';
import type { ServiceProcess } from '@cxp/local-servers';
import { withStack, type BenchStack, type RequestHeaders } from '../bench-stack';
import { copyRows } from '../copy-rows';
import { inTurn, timesInTurn } from '../in-turn';
import { runLoad } from '../load';
import { loadRecords } from '../load-records';
import { peakResidentMegabytes } from '../peak-memory';
import { reportProgress } from '../progress';
import { median } from '../statistics';
import { conversationRecords } from './generated-conversations';
import { PAGE_CASES, pageCases, type PageCase } from './page-cases';

/** Rows of the organization that is read, and of all others together. The size ends within five minutes; the aims are for 1,000,000. */
const ROWS = Number(process.env.ROWS ?? 50_000);

const ORGANIZATION = 'bench';
const SESSIONS = '/external/conversation-sessions';
const OTHERS = 10;
const ROUNDS = 3;
const SECONDS = Number(process.env.SECONDS ?? 0.2);
const CONNECTIONS = 8;

/** Area B: intake beside COPY; pages of any window beside hand-written SQL and the join in memory. */
export function benchExport(): Promise<void> {
  console.log(`${ROWS.toLocaleString('en')} rows, and as many of ${OTHERS} other organizations`);
  return withStack([contactCenter], 3 + PAGE_CASES, compareExport);
}

async function compareExport(stack: BenchStack): Promise<void> {
  const headers = await benchIntake(stack);
  // What autovacuum would do meanwhile. The index is the in-memory join's: nothing else finds conversations by time.
  await stack.dataSource.query('CREATE INDEX ON contact_center.conversation (organization_id, updated_at)');
  await stack.dataSource.query('VACUUM (ANALYZE)');
  const env = { BENCH_ORGANIZATION: ORGANIZATION };
  const { service, bare } = await stack.startBoth(contactCenter, 'export/bare-server.ts', env);
  await benchPages(service, bare, headers, stack.dataSource);
}

/** The tables that an intake writes to. */
const TABLES = [
  'conversation',
  'activity',
  'message',
  'ticket',
  'conversation_survey',
  'conversation_session',
  'session_group',
  'session_count',
].map((table) => `contact_center.${table}`);

async function benchIntake(stack: BenchStack): Promise<RequestHeaders> {
  reportProgress('intake');
  const service = await stack.startService(contactCenter);
  const addOther = async (number: number) => {
    const headers = await stack.addOrganization(`other-${number}`);
    await loadRecords({ url: service.url, headers }, conversationRecords(ROWS / OTHERS));
  };
  for (let number = 1; number <= OTHERS; number += 2)
    await Promise.all([addOther(number), addOther(number + 1)]);
  const headers = await stack.addOrganization(ORGANIZATION);
  const intake = await loadRecords({ url: service.url, headers }, conversationRecords(ROWS));
  const memory = peakResidentMegabytes(service);
  await service.stop();
  reportProgress('COPY into the same tables');
  const copy = await copyRows(stack.postgres.url, TABLES, `organization_id = '${ORGANIZATION}'`);
  console.table({
    intake: {
      'records/s': Math.round(intake.records / intake.seconds),
      'table rows/s': Math.round(copy.rows / intake.seconds),
      seconds: intake.seconds.toFixed(1),
      'peak MB': memory.toFixed(0),
    },
    COPY: { 'table rows/s': Math.round(copy.rows / copy.seconds), seconds: copy.seconds.toFixed(1) },
    'ratio (aim: 0.3)': { 'table rows/s': (copy.seconds / intake.seconds).toFixed(2) },
  });
  return headers;
}

/** Every page in turn with the bare handlers, so that what else the machine does meets all of them. */
async function benchPages(
  service: ServiceProcess,
  bare: ServiceProcess,
  headers: RequestHeaders,
  dataSource: DataSource,
): Promise<void> {
  const get = async (url: string) => (await fetch(url, { headers })).text();
  const cases = await pageCases(
    async (query) => (JSON.parse(await get(`${service.url}${SESSIONS}?${query}`)) as { pages: number }).pages,
  );
  const table: Record<string, Record<string, string | number>> = {};
  let fastest: number | undefined;
  for (const one of cases) {
    reportProgress(`${one.window}, ${one.filter}, ${one.page} page`);
    const targets = {
      service: `${service.url}${SESSIONS}?${one.query}`,
      counted: `${bare.url}/counted?${one.query}`,
      offset: `${bare.url}/offset?${one.query}`,
    };
    // A comparison of different answers would say nothing.
    if (new Set(await Promise.all(Object.values(targets).map(get))).size > 1)
      throw new Error(`answers to ${one.window}, ${one.filter}, ${one.page} differ`);
    const rate = (url: string) => async () => {
      const measured = await requestsPerSecond(url, headers);
      await untilIdle(dataSource);
      return measured;
    };
    const rates = await inTurn(
      { service: rate(targets.service), counted: rate(targets.counted), offset: rate(targets.offset) },
      ROUNDS,
    );
    const ours = median(rates.service);
    fastest ??= ours;
    const best = median(rates.offset.map((offset, round) => Math.max(offset, rates.counted[round]!)));
    table[`${one.window}, ${one.filter}, ${one.page} (${one.number})`] = {
      'requests/s': Math.round(ours),
      'times page 1 of 1 day (aim: ≤ 1.5)': (fastest / ours).toFixed(2),
      'OFFSET requests/s': Math.round(median(rates.offset)),
      'same statement requests/s': Math.round(median(rates.counted)),
      'ratio to the better (aim: ≥ 0.8)': (ours / best).toFixed(2),
    };
  }
  console.table(table);
  await benchInMemory(service, bare, headers, cases);
  console.log(`peak resident memory while paging: ${peakResidentMegabytes(service).toFixed(0)} MB`);
}

/** A load leaves queries behind. Deep OFFSETs take seconds, and would slow down what is measured next. */
async function untilIdle(dataSource: DataSource): Promise<void> {
  for (;;) {
    const active = await dataSource.query<unknown[]>(
      `SELECT FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    if (active.length === 0) return;
    await sleep(100);
  }
}

async function requestsPerSecond(url: string, headers: RequestHeaders): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const load = await runLoad({
    url: origin,
    headers,
    nextRequest: () => ({ method: 'GET', path: pathname + search }),
    connections: CONNECTIONS,
    seconds: SECONDS,
    expectedStatus: 200,
  });
  return load.requestsPerSecond;
}

/** The specification's way: seconds a page, so one request at a time. A year is twelve times the month's work. */
async function benchInMemory(
  service: ServiceProcess,
  bare: ServiceProcess,
  headers: RequestHeaders,
  cases: readonly PageCase[],
): Promise<void> {
  const table: Record<string, object> = {};
  for (const one of cases.filter(({ filter, page }) => filter === 'none' && page === 'first')) {
    if (one.window === '365 days') continue;
    const read = (url: string) => async () => (await fetch(url, { headers })).text();
    const { ours, theirs } = await timesInTurn(
      {
        ours: read(`${service.url}${SESSIONS}?${one.query}`),
        theirs: read(`${bare.url}/in-memory?${one.query}`),
      },
      3,
    );
    table[one.window] = {
      ms: ours.toFixed(1),
      'in memory ms': theirs.toFixed(0),
      'times as fast': Math.round(theirs / ours),
    };
  }
  console.table(table);
}
