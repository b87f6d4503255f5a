import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildDeployable } from '@cxp/build';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { startPostgres, startRedis } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { contactCenter } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { type Figures, grow } from '../charts/grow';
import { recordGrowth } from '../charts/record-growth';
import { runLoad } from '../load';
import { planSteps, reportProgress } from '../progress';
import { startUnderTest } from '../start-under-test';
import { agentEmail, AGENTS, conversationRecords } from './generated-conversations';
import { loadConversations } from './load-conversations';
import { PER_PAGE } from './page-cases';

const ORGANIZATIONS = Array.from({ length: 32 }, (_, i) => `bench-${i}`);
const ROWS = 20_000;
const CLIENTS = [1, 4, 16, 64, 256];
const SECONDS = 2;
const INTAKE_CONVERSATIONS = 20;
/** The numbers of conversations that are not stored yet. */
const NEW_CONVERSATIONS = { start: 10_000_000, end: 20_000_000 };

const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
/** Each with its query and the number of its pages. */
const PAGES: Readonly<Record<string, readonly [query: string, pages: number]>> = {
  'a day, first page': ['startDate=2025-06-30&endDate=2025-06-30', 1],
  'a year, any page': [YEAR, ROWS / PER_PAGE],
  'a year of an agent, any page': [`${YEAR}&sessionAgentEmails=${agentEmail(7)}`, ROWS / AGENTS / PER_PAGE],
};

/** Intakes of one organization that may be under way at once, less those that are about to end. */
const INTAKES_AT_ONCE = 2;

type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Cost as concurrent clients grow: pages of one organization, intakes of many. Draws the clients' part of the chart of area
 * B. About a minute.
 */
export async function benchExportClients(): Promise<void> {
  planSteps(2 + CLIENTS.length);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  reportProgress('build apps/contact-center-export');
  await buildDeployable('apps/contact-center-export');
  for (const area of [accessDatabase, contactCenterDatabase]) await migrate(area, postgres.url);
  const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
  const { url, stop } = await startUnderTest(contactCenter, { postgres, redis });
  reportProgress('intake');
  const callers: RequestHeaders[] = [];
  for (const organizationId of ORGANIZATIONS) {
    const { headers } = await issueTestToken(dataSource, { organizationId });
    callers.push(headers);
  }
  const [headers] = callers as [RequestHeaders];
  await loadConversations({ url, headers }, ROWS);
  await dataSource.query('VACUUM (ANALYZE)');

  const intakes = newIntakes(callers);
  const clients = await grow('concurrent clients', CLIENTS, async (connections) => {
    const load = { url, headers, connections, seconds: SECONDS, expectedStatus: 200 };
    const measured: Record<string, Figures> = {};
    for (const [name, [query, pages]] of Object.entries(PAGES)) {
      const nextRequest = () => {
        const page = 1 + Math.floor(Math.random() * pages);
        const path = `/external/conversation-sessions?${query}&perPage=${PER_PAGE}&page=${page}`;
        return { method: 'GET' as const, path };
      };
      measured[name] = await runLoad({ ...load, nextRequest });
    }
    if (connections <= INTAKES_AT_ONCE * ORGANIZATIONS.length)
      measured['intake of 20 conversations'] = await runLoad({ ...load, nextRequest: intakes });
    return measured;
  });
  recordGrowth('contact-center', [clients]);
  await dataSource.destroy();
  await stop();
  await Promise.all([postgres.stop(), redis.stop()]);
}

/** @returns what makes the next intake, of each organization in turn */
function newIntakes(callers: readonly RequestHeaders[]): Parameters<typeof runLoad>[0]['nextRequest'] {
  let first = NEW_CONVERSATIONS.start;
  return () => {
    first += INTAKE_CONVERSATIONS;
    const lines = conversationRecords(INTAKE_CONVERSATIONS, NEW_CONVERSATIONS.end, first);
    const caller = callers[(first / INTAKE_CONVERSATIONS) % callers.length]!;
    return {
      method: 'POST',
      path: '/internal/records',
      body: [...lines].join(''),
      headers: { ...caller, 'content-type': 'application/x-ndjson' },
    };
  };
}
