import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { contactCenter } from '@cxp/services/service-under-test';
import { postRecords } from '@cxp/services/workloads';
import { BenchStack, buildServices, type RequestHeaders } from '../bench-stack';
import { agentEmail, scatteredRecords } from '../export/generated-conversations';
import type { Load } from '../load';
import { loadRecords, type Target } from '../load-records';
import { measureRequests, sizesOf, type Growth } from './growth';

/** Keeps the rows in this folder, so that they can be measured again without being stored again. */
const DIRECTORY = process.env.DIRECTORY && resolve(process.env.DIRECTORY);
const SECONDS = 2;
const CONNECTIONS = 4;
const PLACES = 50;

const SESSIONS = '/external/conversation-sessions?perPage=50';
const DIGESTS = '/external/conversation-session-digests?';
const DAY = 'startDate=2025-06-30&endDate=2025-06-30';
const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
const AGENT = `${YEAR}&sessionAgentEmails=${agentEmail(7)}`;
const REASON = `${YEAR}&sessionEndReasons=handoff_to_ai`;
/** Those that are measured with many clients, and others. */
const CLIENT_PAGES = [
  { name: 'a day, first page', window: DAY, page: 'first' },
  { name: 'a year, any page', window: YEAR, page: 'any' },
  { name: 'a year of an agent, any page', window: AGENT, page: 'any' },
] as const;
const PAGES = [
  ...CLIENT_PAGES,
  { name: 'a day, last page', window: DAY, page: 'last' },
  { name: 'a year, first page', window: YEAR, page: 'first' },
  { name: 'a year, last page', window: YEAR, page: 'last' },
  { name: 'a year of an end reason, any page', window: REASON, page: 'any' },
] as const;

const CLIENTS_ROWS = 20_000;
const ORGANIZATIONS = 32;
const INTAKE_CONVERSATIONS = 20;
/** Intakes of one organization that may be under way at once, less those that are about to end. */
const INTAKES_AT_ONCE = 2;
/** Of the rows that an organization grows by, so many are stored last, and their rate is printed. */
const LAST_ROWS = 5_000;

/** Area B as concurrent clients grow (pages of one organization, intakes of many), and as one organization grows. */
export async function contactCenterGrowth(): Promise<Growth> {
  await buildServices([contactCenter]);
  const stack = await BenchStack.start(DIRECTORY ? { directory: join(DIRECTORY, 'data') } : {});
  if (DIRECTORY) await makeFast(stack.dataSource);
  const { url } = await stack.startService(contactCenter);
  const load = { url, seconds: SECONDS, expectedStatus: 200 };
  const callers: RequestHeaders[] = [];
  const run = Date.now();
  while (callers.length < ORGANIZATIONS)
    callers.push(await stack.addOrganization(`run-${run}-${callers.length}`));
  const [reader] = callers as [RequestHeaders];
  await loadRecords({ url, headers: reader }, scatteredRecords(0, CLIENTS_ROWS));
  const pages = await pageRequests({ url, headers: reader }, CLIENT_PAGES);
  const intake = { 'intake of 20 conversations': newIntakes(callers) };

  const headers = await stack.addOrganization('bench');
  let stored = await countRows(stack.dataSource, 'bench');
  return {
    dimensions: [
      {
        name: 'concurrent clients',
        sizes: sizesOf('CLIENTS', [1, 4, 16, 64, 256]),
        measure: (connections) =>
          measureRequests(
            { ...load, headers: reader, connections },
            { ...pages, ...(connections <= INTAKES_AT_ONCE * ORGANIZATIONS && intake) },
          ),
      },
      {
        name: 'rows of one organization',
        sizes: sizesOf('SIZES', [10_000, 100_000, 1_000_000]).filter((size) => size >= stored),
        measure: async (size) => {
          const last = Math.max(stored, size - LAST_ROWS);
          await loadRecords({ url, headers }, scatteredRecords(stored, last));
          const { seconds } = await loadRecords({ url, headers }, scatteredRecords(last, size));
          const rate = Math.round((size - last) / seconds);
          stored = size;
          await stack.dataSource.query('VACUUM (ANALYZE)');
          const requests = {
            ...(await pageRequests({ url, headers }, PAGES)),
            'digests of a day': inTurn([`${DIGESTS}${DAY}`]),
            'digests of a year': inTurn([`${DIGESTS}${YEAR}`]),
            'changes, the first 100': inTurn(['/external/conversation-session-changes?limit=100']),
          };
          return {
            ...(await measureRequests({ ...load, headers, connections: CONNECTIONS }, requests)),
            intake: `${rate} conversations/s`,
          };
        },
      },
    ],
    stop: () => stack.stop(),
  };
}

/** As a throw-away server is. */
async function makeFast(dataSource: DataSource): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await dataSource.query(`ALTER SYSTEM SET ${setting} = off`);
  await dataSource.query('SELECT pg_reload_conf()');
}

async function countRows(dataSource: DataSource, organizationId: string): Promise<number> {
  const [{ count }] = await dataSource.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM contact_center.conversation_session WHERE organization_id = $1',
    [organizationId],
  );
  return count;
}

/** `any` page is at 50 places of the window, one after the other. */
async function pageRequests(
  { url, headers }: Target,
  kinds: readonly (typeof PAGES)[number][],
): Promise<Record<string, Load['nextRequest']>> {
  const requests: Record<string, Load['nextRequest']> = {};
  for (const { name, window, page } of kinds) {
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
  let turn = CLIENTS_ROWS;
  return () => {
    turn += 1;
    const first = turn * INTAKE_CONVERSATIONS;
    const records = [...scatteredRecords(first, first + INTAKE_CONVERSATIONS)];
    return postRecords({ headers: callers[turn % callers.length]! }, records);
  };
}
