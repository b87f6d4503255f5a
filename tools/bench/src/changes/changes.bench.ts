import { performance } from 'node:perf_hooks';
import { contactCenter } from '@cxp/services/service-under-test';
import { BenchStack } from '../bench-stack';
import { measureCopy, sizeOf } from '../copy-rows';
import { fillWithCopies, keepOriginals, ORIGINALS } from '../export/fill-conversations';
import { loadConversations } from '../export/load-conversations';
import { planSteps, reportProgress } from '../progress';
import { median, quantile } from '../statistics';
import { changeLatencies } from './change-latencies';

/** The size ends within five minutes; the aims are for 1,000,000. */
const ROWS = Number(process.env.ROWS ?? 100_000);
const ROUNDS = 3;
const ORGANIZATION = 'bench';
const RECORDS_PER_SECOND = 500;
const LATENCY_SECONDS = 20;

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Area B's changes: the first copy beside B1's stream and beside COPY, the delay of a change, digests of a year. */
export async function benchChanges(): Promise<void> {
  planSteps(4);
  console.log(`${ROWS.toLocaleString('en')} rows; ROWS=1000000 for the size of the aims`);
  const stack = await BenchStack.start(contactCenter);
  const { dataSource, postgres } = stack;
  const headers = await stack.addOrganization(ORGANIZATION);
  reportProgress('store records');
  const filler = await stack.startService();
  const { records, seconds } = await loadConversations(
    { url: filler.url, headers },
    Math.min(ROWS, ORIGINALS),
  );
  console.log(`${Math.round(records / seconds).toLocaleString('en')} records/s`);
  await filler.stop();
  if (ROWS > ORIGINALS) {
    await keepOriginals(dataSource);
    await fillWithCopies(dataSource, ROWS / ORIGINALS);
  }
  await dataSource.query('VACUUM (ANALYZE)');
  const service = await stack.startService();
  const target = { url: service.url, headers };

  reportProgress('first copies');
  await benchFirstCopy(target, postgres.url);
  reportProgress('digests of 365 days');
  await benchDigests(target);
  reportProgress(`delays at ${RECORDS_PER_SECOND} records/s, ${LATENCY_SECONDS} seconds`);
  const latencies = await changeLatencies(target, RECORDS_PER_SECOND, LATENCY_SECONDS);
  console.table({
    'commit to item': {
      changes: latencies.length,
      'p50 ms': quantile(latencies, 0.5).toFixed(0),
      'p99 ms (aim: ≤ 250)': quantile(latencies, 0.99).toFixed(0),
    },
  });
  await stack.stop();
}

async function benchFirstCopy(target: Target, databaseUrl: string): Promise<void> {
  const ways = {
    changes: () => read(target, '/external/conversation-session-changes'),
    B1: () => read(target, '/external/conversation-sessions?startDate=2024-12-01&endDate=2026-12-31'),
    COPY: () => copy(databaseUrl),
  };
  const seconds: Record<keyof typeof ways, number[]> = { changes: [], B1: [], COPY: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of ['changes', 'B1', 'COPY'] as const) {
      const start = performance.now();
      const rows = await ways[way]();
      if (rows !== ROWS) throw new Error(`${way} has ${rows} rows`);
      if (round > 0) seconds[way].push((performance.now() - start) / 1_000);
    }
  }
  const rate = (way: keyof typeof ways) => ROWS / median(seconds[way]);
  const ratioTo = (way: keyof typeof ways) => (rate('changes') / rate(way)).toFixed(2);
  console.table({
    'rows/s': {
      changes: Math.round(rate('changes')),
      B1: Math.round(rate('B1')),
      COPY: Math.round(rate('COPY')),
    },
    'changes beside it (aims: B1 0.9, COPY 0.25)': { B1: ratioTo('B1'), COPY: ratioTo('COPY') },
  });
}

/** @returns how many lines were read */
async function read({ url, headers }: Target, path: string): Promise<number> {
  const response = await fetch(url + path, { headers: { ...headers, accept: 'application/x-ndjson' } });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return (await sizeOf(response.body as unknown as AsyncIterable<Uint8Array>)).lines;
}

async function copy(databaseUrl: string): Promise<number> {
  const statement = `COPY (
    SELECT change, conversation_id, session_index, ticket_id, conversation_updated_at, digest, document,
      bot_handoff_at, first_agent_assigned_at, first_agent_message_at, conversation_resolved_at
    FROM contact_center.conversation_session WHERE organization_id = '${ORGANIZATION}' ORDER BY change
  ) TO STDOUT`;
  return (await measureCopy(databaseUrl, statement)).lines;
}

async function benchDigests({ url, headers }: Target): Promise<void> {
  const table: Record<string, Record<string, string>> = {};
  for (const timezone of ['Asia/Singapore', 'Asia/Kolkata']) {
    const query = new URLSearchParams({ startDate: '2025-01-01', endDate: '2025-12-31', timezone });
    const times: number[] = [];
    for (let round = 0; round < 20; round++) {
      const start = performance.now();
      await (
        await fetch(`${url}/external/conversation-session-digests?${query.toString()}`, { headers })
      ).text();
      times.push(performance.now() - start);
    }
    table[timezone] = { 'median ms (aim: ≤ 200)': median(times).toFixed(1) };
  }
  console.table(table);
}
