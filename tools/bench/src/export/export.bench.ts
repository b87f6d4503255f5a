import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { contactCenter } from '@cxp/services/service-under-test';
import type { ServiceProcess } from '@cxp/local-servers';
import { BenchStack, type RequestHeaders } from '../bench-stack';
import { copyRows, measureCopy, sizeOf } from '../copy-rows';
import { runLoad } from '../load';
import { forgetPeak, peakResidentMegabytes, residentMegabytes } from '../peak-memory';
import { median } from '../statistics';
import { loadConversations } from './load-conversations';
import { PAGE_CASES, pageCases, type PageCase } from './page-cases';
import { planSteps, reportProgress } from '../progress';

/** Rows of the organization that is read, and of all others together. The size ends within five minutes; the aims are for 1,000,000. */
const ROWS = Number(process.env.ROWS ?? 50_000);

/** What is measured, after records were stored. */
const PARTS = (process.env.PARTS ?? 'copy,pages,streams').split(',');
const ORGANIZATION = 'bench';
const OTHERS = 10;
const ROUNDS = 3;
const SECONDS = Number(process.env.SECONDS ?? 0.3);
const CONNECTIONS = 8;

/** Area B: intake beside COPY; pages of any window beside hand-written SQL and the join in memory; whole windows. */
export async function benchExport(): Promise<void> {
  console.log(
    `${ROWS.toLocaleString('en')} rows, and as many of ${OTHERS} other organizations: ${PARTS.join(', ')}`,
  );
  planSteps(1 + PARTS.length + (PARTS.includes('pages') ? PAGE_CASES : 0));
  const stack = await BenchStack.start(contactCenter);
  const { dataSource, postgres } = stack;
  reportProgress('intake');
  const headers = await benchIntake(stack);
  // What autovacuum would do meanwhile. The index is the in-memory join's: nothing else finds conversations by time.
  await dataSource.query('CREATE INDEX ON contact_center.conversation (organization_id, updated_at)');
  await dataSource.query('VACUUM (ANALYZE)');

  const service = await stack.startService();
  if (PARTS.includes('pages')) {
    reportProgress('pages');
    const bare = await stack.startBare('export/bare-server.ts', { BENCH_ORGANIZATION: ORGANIZATION });
    await benchPages(service, bare, headers, postgres.url);
    await bare.stop();
  }
  if (PARTS.includes('streams')) {
    reportProgress('streams');
    await benchStreams(service, headers, postgres.url);
  }
  await stack.stop();
}

/** The tables that an intake writes to. */
const TABLES = [
  'conversation',
  'activity',
  'message',
  'ticket',
  'conversation_survey',
  'conversation_session',
  'session_agent',
  'session_count',
].map((table) => `contact_center.${table}`);

async function benchIntake(stack: BenchStack): Promise<RequestHeaders> {
  const service = await stack.startService();
  for (let number = 1; number <= OTHERS; number++) {
    const headers = await stack.addOrganization(`other-${number}`);
    await loadConversations({ url: service.url, headers }, ROWS / OTHERS);
  }
  const headers = await stack.addOrganization(ORGANIZATION);
  const intake = await loadConversations({ url: service.url, headers }, ROWS);
  const memory = peakResidentMegabytes(service);
  await service.stop();
  console.log(`${Math.round(intake.records / intake.seconds).toLocaleString('en')} records/s`);
  if (!PARTS.includes('copy')) return headers;
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
  databaseUrl: string,
): Promise<void> {
  const observer = new Client({ connectionString: databaseUrl });
  await observer.connect();
  const get = async (url: string) => (await fetch(url, { headers })).text();
  const cases = await pageCases(
    async (path) => (JSON.parse(await get(service.url + path)) as { pages: number }).pages,
  );
  const table: Record<string, Record<string, string | number>> = {};
  let fastest: number | undefined;
  for (const one of cases) {
    reportProgress(`${one.window}, ${one.filter}, ${one.page} page`);
    const targets = {
      service: service.url + one.servicePath,
      counted: `${bare.url}/counted?${one.bareQuery}`,
      offset: `${bare.url}/offset?${one.bareQuery}`,
    };
    await expectEqualAnswers(await Promise.all(Object.values(targets).map(get)), one);
    const rates = { service: [] as number[], counted: [] as number[], offset: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const name of ['service', 'counted', 'offset'] as const) {
        const rate = await requestsPerSecond(targets[name], headers);
        await untilIdle(observer);
        if (round > 0) rates[name].push(rate);
      }
    }
    const rate = median(rates.service);
    fastest ??= rate;
    const best = median(rates.offset.map((offset, round) => Math.max(offset, rates.counted[round]!)));
    table[`${one.window}, ${one.filter}, ${one.page} (${one.number})`] = {
      'requests/s': Math.round(rate),
      'times page 1 of 1 day (aim: ≤ 1.5)': (fastest / rate).toFixed(2),
      'OFFSET requests/s': Math.round(median(rates.offset)),
      'same statement requests/s': Math.round(median(rates.counted)),
      'ratio to the better (aim: ≥ 0.8)': (rate / best).toFixed(2),
    };
  }
  await observer.end();
  console.table(table);
  await benchInMemory(service, bare, headers, cases);
  console.log(`peak resident memory while paging: ${peakResidentMegabytes(service).toFixed(0)} MB`);
}

/** A load leaves queries behind. Deep OFFSETs take seconds, and would slow down what is measured next. */
async function untilIdle(observer: Client): Promise<void> {
  for (;;) {
    const { rows } = await observer.query<{ active: number }>(
      `SELECT count(*)::int AS active FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`,
    );
    if (rows[0]!.active === 0) return;
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

/** A comparison of different answers would say nothing. */
async function expectEqualAnswers(
  answers: readonly string[],
  { window, filter, page }: PageCase,
): Promise<void> {
  if (new Set(answers).size > 1) throw new Error(`answers to ${window}, ${filter}, ${page} differ`);
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
    const ours = await secondsOf(service.url + one.servicePath, headers);
    const theirs = await secondsOf(`${bare.url}/in-memory?${one.bareQuery}`, headers);
    table[one.window] = {
      ms: (ours * 1_000).toFixed(1),
      'in memory ms': (theirs * 1_000).toFixed(0),
      'times as fast': Math.round(theirs / ours),
    };
  }
  console.table(table);
}

async function secondsOf(url: string, headers: RequestHeaders): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    await (await fetch(url, { headers })).text();
    times.push((performance.now() - start) / 1_000);
  }
  return median(times);
}

/** The whole year at once, beside COPY of the same rows. */
async function benchStreams(
  service: ServiceProcess,
  headers: RequestHeaders,
  databaseUrl: string,
): Promise<void> {
  const window = 'startDate=2024-12-01&endDate=2026-12-31';
  const stream = async (accept: string) => {
    const url = `${service.url}/external/conversation-sessions?${window}`;
    const response = await fetch(url, { headers: { ...headers, accept } });
    return (await sizeOf(response.body as unknown as AsyncIterable<Uint8Array>)).bytes;
  };
  const ways = {
    NDJSON: () => stream('application/x-ndjson'),
    CSV: () => stream('text/csv'),
    COPY: () => copyYear(databaseUrl),
  };
  const seconds: Record<keyof typeof ways, number[]> = { NDJSON: [], CSV: [], COPY: [] };
  const table: Record<string, Record<string, number | string>> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of ['NDJSON', 'CSV', 'COPY'] as const) {
      forgetPeak(service);
      const before = residentMegabytes(service);
      const start = performance.now();
      const bytes = await ways[way]();
      const took = (performance.now() - start) / 1_000;
      if (round > 0) seconds[way].push(took);
      table[way] = {
        'MB/s': Math.round(bytes / 1e6 / took),
        'MB before': before.toFixed(0),
        'peak MB': peakResidentMegabytes(service).toFixed(0),
      };
    }
  }
  for (const way of ['NDJSON', 'CSV', 'COPY'] as const) {
    table[way]!['rows/s'] = Math.round(ROWS / median(seconds[way]));
    table[way]!['ratio to COPY (aim: 0.5)'] = (median(seconds.COPY) / median(seconds[way])).toFixed(2);
  }
  console.table(table);
}

async function copyYear(databaseUrl: string): Promise<number> {
  const statement = `COPY (
    SELECT document, bot_handoff_at, first_agent_assigned_at, first_agent_message_at, conversation_resolved_at,
      conversation_updated_at, conversation_id, session_index, ticket_id
    FROM contact_center.conversation_session WHERE organization_id = '${ORGANIZATION}'
    ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id
  ) TO STDOUT`;
  return (await measureCopy(databaseUrl, statement)).bytes;
}
