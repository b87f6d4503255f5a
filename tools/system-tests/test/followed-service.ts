import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { type FollowedFeed, followedFeeds, Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { type Caller, issueTestToken } from '@cxp/service-kit/testing';
import { openDatabase } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { startReceiver } from '@cxp/webhooks/testing';
import { send, postJson, postRecords, record } from '../src/http';
import { contactCenter, type ServiceUnderTest, startBuilt, survey } from '../src/service-under-test';
import { ReplaceableProcess, sendUntilDone } from './replaceable-process';

export const ROWS_OF_DAY = 5;
const CAMPAIGN = randomUUID();

/** One of the areas that can be followed, with records that make a row each. */
export interface FollowedService {
  readonly service: ServiceUnderTest;
  readonly area: FollowedFeed;
  /** The path of its feed. */
  readonly changes: string;
  /** The name of the cursor in its answer. */
  readonly next: string;
  /** Other paths that answer rows. */
  readonly others: readonly string[];
  readonly first: readonly object[];
  /** Of the row of a number, which belongs to a day. */
  readonly row: (number: number, text: string) => object[];
  readonly removal: (number: number) => object;
  /** All rows as the service lists them. */
  readonly listed: (client: CxpClient) => AsyncGenerator<object>;
}

const dayOf = (number: number) =>
  new Date(Date.UTC(2026, 0, 5, 4) + Math.floor(number / ROWS_OF_DAY) * 86_400_000).toISOString();
const areaNamed = (name: string) => followedFeeds.find((area) => area.name === name)!;

export const FOLLOWED: readonly FollowedService[] = [
  {
    service: contactCenter,
    area: areaNamed('contact-center'),
    changes: '/external/conversation-session-changes',
    next: 'nextCursor',
    others: [
      '/external/conversation-session-digests?startDate=2026-01-05&endDate=2026-01-05',
      '/external/conversation-sessions?startDate=2026-01-05&endDate=2026-01-05',
    ],
    first: [record('conversation', { id: 'empty', createdAt: dayOf(0), updatedAt: dayOf(0) })],
    row: (number, text) => {
      const conversationId = `c-${number}`;
      const agent = { accountId: 42, email: 'mai@example.com', name: text };
      const at = dayOf(number);
      return [
        record('conversation', { id: conversationId, createdAt: at, updatedAt: at }),
        record('activity', { id: `a-${number}`, conversationId, action: 'assign', occurredAt: at, agent }),
      ];
    },
    removal: (number) => ({ type: 'conversation', op: 'delete', data: { id: `c-${number}` } }),
    listed: (client) => client.conversationSessions.list({ startDate: '2026-01-01', endDate: '2027-12-31' }),
  },
  {
    service: survey,
    area: areaNamed('survey'),
    changes: '/external/survey-response-changes',
    next: 'next_cursor',
    others: [
      '/external/survey-response-digests?start_date=2026-01-05&end_date=2026-01-05',
      '/external/survey-campaigns',
    ],
    first: [
      record('survey_campaign', { id: CAMPAIGN, name: 'Visit', status: 'active', survey_questions: [] }),
    ],
    row: (number, text) => {
      const data = { identifier: identifierOf(number), survey_campaign_id: CAMPAIGN };
      return [record('survey_response', { ...data, sent_timestamp: dayOf(number), user_name: text })];
    },
    removal: (number) => ({
      type: 'survey_response',
      op: 'delete',
      data: { identifier: identifierOf(number) },
    }),
    listed: (client) =>
      client.surveyResponses.list({
        ...{ survey_campaign_id: CAMPAIGN, start_date: '2026-01-01', end_date: '2027-12-31' },
      }),
  },
];

function identifierOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/**
 * A service that can be killed, a copy of what it serves, and a receiver of its hints.
 * @param databaseUrl of the migrated database itself; the service may be given another way there
 */
export async function startFollowed(
  { service, area, listed }: FollowedService,
  databaseUrl: string,
  { DATABASE_URL = databaseUrl, REDIS_URL }: { DATABASE_URL?: string; REDIS_URL: string },
) {
  const target = await createTestDatabase();
  const pool = new Pool({ connectionString: target.url });
  pool.on('error', () => undefined);
  // Without a listener a connection that is cut while it is used would end this process.
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  const caller = await callerOf(databaseUrl);
  const receiver = await startReceiver();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-followed-'));
  const NODE_EXTRA_CA_CERTS = join(directory, 'receiver.pem');
  await writeFile(NODE_EXTRA_CA_CERTS, receiver.ca);
  const environment = { DATABASE_URL, REDIS_URL, NODE_EXTRA_CA_CERTS };
  const served = await ReplaceableProcess.start(() => startBuilt(service, environment));
  const { organizationId, token, headers } = caller;
  const client = () => new CxpClient({ organizationId, token, urls: { [area.urlKey]: served.url } });
  const endpoint = `/external/webhook-endpoints/${randomUUID()}`;
  return {
    pool,
    receiver,
    served,
    load: (...records: object[]) => sendUntilDone(() => served.url, postRecords(caller, records)),
    get: (path: string) => send(served.url, { method: 'GET', path, headers }),
    endpoint,
    askForHints: () => {
      const request = { ...postJson(endpoint, caller, { url: receiver.url }), method: 'PUT' };
      return sendUntilDone(() => served.url, request);
    },
    follow: (options: Partial<ConstructorParameters<typeof Follower>[2]> = {}, followed = area) =>
      new Follower(client(), new TableCopy(new PostgresDatabase(pool), followed, organizationId), {
        ...{ once: true, verify: false, report: () => undefined },
        ...options,
      }).run(),
    /** The rows of the copy, and those of the service, each as text. */
    copiedRows: async () => {
      const { rows } = await pool.query<{ row: object }>(`SELECT "row" FROM cxp.${area.table}`);
      return sorted(rows.map(({ row }) => row));
    },
    servedRows: async () => {
      const rows: object[] = [];
      for await (const row of listed(client())) rows.push(row);
      return sorted(rows);
    },
    remove: async () => {
      await pool.end();
      await Promise.all([served.stop(), receiver.close(), target.drop()]);
      await rm(directory, { recursive: true });
    },
  };
}

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
}

export async function callerOf(databaseUrl: string): Promise<Caller> {
  const dataSource = await openDatabase(databaseUrl, [accessDatabase]);
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  return caller;
}
