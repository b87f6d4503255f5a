import { contactCenter } from '@cxp/services/service-under-test';
import { withStack, type BenchStack } from '../bench-stack';
import { countCopied, countLines } from '../copy-rows';
import { conversationRecords } from '../export/generated-conversations';
import { timesInTurn } from '../in-turn';
import { loadRecords, type Target } from '../load-records';
import { reportProgress } from '../progress';
import { quantile } from '../statistics';
import { changeLatencies } from './change-latencies';

/** The size ends within five minutes; the aims are for 1,000,000. */
const ROWS = Number(process.env.ROWS ?? 100_000);
const ROUNDS = 3;
const ORGANIZATION = 'bench';
const RECORDS_PER_SECOND = 500;
const LATENCY_SECONDS = 20;

/** Area B's changes: the first copy beside B1's stream and beside COPY, the delay of a change, digests of a year. */
export function benchChanges(): Promise<void> {
  console.log(`${ROWS.toLocaleString('en')} rows; ROWS=1000000 for the size of the aims`);
  return withStack([contactCenter], 4, measureChanges);
}

async function measureChanges(stack: BenchStack): Promise<void> {
  const headers = await stack.addOrganization(ORGANIZATION);
  reportProgress('store records');
  const filler = await stack.startService(contactCenter);
  const { records, seconds } = await loadRecords({ url: filler.url, headers }, conversationRecords(ROWS));
  console.log(`${Math.round(records / seconds).toLocaleString('en')} records/s`);
  await filler.stop();
  await stack.dataSource.query('VACUUM (ANALYZE)');
  const { url } = await stack.startService(contactCenter);
  const target = { url, headers };

  reportProgress('first copies');
  await benchFirstCopy(target, stack.postgres.url);
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
}

/** The last line of a stream of changes says that it is complete. */
const END_LINE = 1;

async function benchFirstCopy(target: Target, databaseUrl: string): Promise<void> {
  const complete = (name: string, read: () => Promise<number>) => async () => {
    const rows = await read();
    if (rows !== ROWS) throw new Error(`${name} has ${rows} rows`);
  };
  const year = 'startDate=2024-12-01&endDate=2026-12-31';
  const { changes, pages, copy } = await timesInTurn(
    {
      changes: complete(
        'changes',
        async () => (await read(target, '/external/conversation-session-changes')) - END_LINE,
      ),
      pages: complete('B1', () => read(target, `/external/conversation-sessions?${year}`)),
      copy: complete('COPY', () => copyRows(databaseUrl)),
    },
    ROUNDS,
  );
  const rate = (milliseconds: number) => Math.round((ROWS / milliseconds) * 1_000);
  console.table({
    'rows/s': { changes: rate(changes), B1: rate(pages), COPY: rate(copy) },
    'changes beside it (aims: B1 0.9, COPY 0.25)': {
      B1: (pages / changes).toFixed(2),
      COPY: (copy / changes).toFixed(2),
    },
  });
}

/** @returns how many lines were read */
async function read({ url, headers }: Target, path: string): Promise<number> {
  const response = await fetch(url + path, { headers: { ...headers, accept: 'application/x-ndjson' } });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return countLines(response.body as unknown as AsyncIterable<Uint8Array>);
}

async function copyRows(databaseUrl: string): Promise<number> {
  const statement = `COPY (
    SELECT change, conversation_id, session_index, ticket_id, conversation_updated_at, digest, document,
      bot_handoff_at, first_agent_assigned_at, first_agent_message_at, conversation_resolved_at
    FROM contact_center.conversation_session WHERE organization_id = '${ORGANIZATION}' ORDER BY change
  ) TO STDOUT`;
  return countCopied(databaseUrl, statement);
}

async function benchDigests({ url, headers }: Target): Promise<void> {
  const digests = (timezone: string) => async () => {
    const query = `startDate=2025-01-01&endDate=2025-12-31&timezone=${timezone}`;
    await (await fetch(`${url}/external/conversation-session-digests?${query}`, { headers })).text();
  };
  const zones = { 'Asia/Singapore': digests('Asia/Singapore'), 'Asia/Kolkata': digests('Asia/Kolkata') };
  console.table({ 'median ms (aim: ≤ 200)': await timesInTurn(zones, 20) });
}
