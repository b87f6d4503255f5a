import { randomUUID } from 'node:crypto';
import { openDatabase } from '@cxp/storage';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { startReceiver } from '@cxp/webhooks/testing';
import { CxpClient } from '@cxp/client';
import { type FollowedArea, followedAreas, Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { type PostgresBinaries, startRedis } from '@cxp/testing/local-servers';
import { type Caller, eventually, issueTestToken } from '@cxp/service-kit/testing';
import { type HttpAnswer, send } from '../src/http';
import { contactCenter, type ServiceUnderTest, startBuilt, survey } from '../src/service-under-test';
import { importRecords, postJson, postRecords, record } from '../src/workloads';
import { createTestDatabase } from '@cxp/testing';
import { startPostgresPair } from './postgres-pair';

const DAYS = 120;
const ROWS_OF_DAY = 5;
const ROWS = DAYS * ROWS_OF_DAY;
const CAMPAIGN = randomUUID();

/** Within this time of the promotion the first hint comes, in milliseconds: sooner than an attempt that was under way is given up. */
const HINTED_WITHIN_MS = 10_000;

/** One of the areas that can be followed, with records that make a row each. */
export interface FollowedService {
  readonly service: ServiceUnderTest;
  readonly area: FollowedArea;
  /** The path of its feed. */
  readonly changes: string;
  readonly first: readonly object[];
  /** Of the row of a number, which belongs to a day. */
  readonly row: (number: number, text: string) => object[];
  readonly removal: (number: number) => object;
  /** All rows as the service lists them. */
  readonly listed: (client: CxpClient) => AsyncGenerator<object>;
}

const dayOf = (number: number) =>
  new Date(Date.UTC(2026, 0, 5, 4) + Math.floor(number / ROWS_OF_DAY) * 86_400_000).toISOString();
const areaNamed = (name: string) => followedAreas.find((area) => area.name === name)!;

export const FOLLOWED: readonly FollowedService[] = [
  {
    service: contactCenter,
    area: areaNamed('contact-center'),
    changes: '/external/conversation-session-changes',
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

/** What one promotion cost a follower. */
export interface FailoverFigures {
  /** Of the rows of the copy. */
  readonly shareRead: number;
  /** From the promotion to the first answer, which is the 410. */
  readonly refusedAfterMs: number;
  /** From the promotion to the first hint of the new epoch. */
  readonly hintedAfterMs: number;
}

/**
 * A follower reads what a primary commits and its standby never gets. The standby takes over and commits other changes. The first answer to the
 * follower's cursor is a 410, its endpoint gets a hint, the follower reads few rows, and its copy is that of the service.
 */
export async function expectCopyAfterFailover(
  { service, area, changes, first, row, removal, listed }: FollowedService,
  random: () => number,
  isLossy: boolean,
  binaries?: PostgresBinaries,
): Promise<FailoverFigures> {
  const pair = await startPostgresPair([accessDatabase, service.area], { binaries });
  const redis = await startRedis();
  const target = await createTestDatabase();
  const pool = new Pool({ connectionString: target.url });
  pool.on('error', () => undefined);
  const caller = await callerOf(pair.primaryUrl);
  const receiver = await startReceiver();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-failover-'));
  const environment = {
    DATABASE_URL: pair.url,
    REDIS_URL: redis.url,
    NODE_EXTRA_CA_CERTS: join(directory, 'receiver.pem'),
  };
  await writeFile(environment.NODE_EXTRA_CA_CERTS, receiver.ca);
  const served = await startBuilt(service, environment);
  const { organizationId, token } = caller;
  const client = new CxpClient({ organizationId, token, urls: { [area.urlKey]: served.url } });
  const load = (...records: object[]) => importRecords(served.url, caller, records);
  /** Changes of a few rows of two days, and a new row of a third one. */
  const change = async (what: string) => {
    const day = Math.floor(random() * (DAYS - 1)) * ROWS_OF_DAY;
    for (let count = 0; count < 1 + random() * 6; count += 1) {
      const number = day + Math.floor(random() * 2 * ROWS_OF_DAY);
      const records = random() < 0.3 ? [removal(number)] : row(number, `${what} ${random()}`);
      await load(...records);
    }
    await load(...row(ROWS, `${what} ${random()}`));
  };
  let read = 0;
  const counted: FollowedArea = {
    ...area,
    follow: async function* (...args) {
      for await (const batch of area.follow(...args)) {
        read += batch.items.length;
        yield batch;
      }
    },
    rowsOf: async function* (...args) {
      for await (const found of area.rowsOf(...args)) {
        read += 1;
        yield found;
      }
    },
  };
  const reports: string[] = [];
  const follow = (verify = false) => {
    read = 0;
    const options = { once: true, verify, report: (line: string) => void reports.push(line) };
    const copy = new TableCopy(new PostgresDatabase(pool), counted, organizationId);
    return new Follower(client, copy, options).run();
  };

  await load(...first, ...Array.from({ length: ROWS }, (_, number) => row(number, 'first')).flat());
  await follow();
  expect(read).toBe(ROWS);
  const endpoint = {
    method: 'GET',
    path: `/external/webhook-endpoints/${randomUUID()}`,
    headers: caller.headers,
  };
  const put = { ...postJson(endpoint.path, caller, { url: receiver.url }), method: 'PUT' };
  expect((await send(served.url, put)).status).toBe(200);
  const toldChange = async () =>
    ((await send(served.url, endpoint)).body as { toldChange: number }).toldChange;
  await eventually(async () => (await toldChange()) !== null);
  if (isLossy) {
    await pair.catchUp();
    await pair.stopReceiving();
  }
  await change('lost, or not');
  await follow();
  const { rows: states } = await pool.query<{ cursor: string }>('SELECT cursor FROM cxp_follow_state');
  await (isLossy ? pair.failOver() : pair.switchOver());
  const promotedAt = performance.now();
  const hintsBefore = receiver.hints.length;
  const [refusedAfterMs, hintedAfterMs] = await Promise.all([
    (async () => {
      let answer: HttpAnswer;
      const withCursor = { ...endpoint, path: `${changes}?cursor=${states[0]!.cursor}` };
      await eventually(async () => (answer = await send(served.url, withCursor)).status !== 503, 60_000);
      expect([answer!.status, answer!.body]).toEqual([410, { detail: 'Cursor expired' }]);
      return performance.now() - promotedAt;
    })(),
    (async () => {
      await eventually(() => receiver.hints.length > hintsBefore, HINTED_WITHIN_MS);
      return performance.now() - promotedAt;
    })(),
  ]);
  // Again until the services have connections to the new primary.
  await eventually(async () => (await send(served.url, postRecords(caller, first))).status === 200, 60_000);
  if (isLossy) await change('after');
  await follow();
  expect(reports.join('\n')).toContain(`the cursor has expired: ${isLossy ? 'reading' : 'nothing differs'}`);
  const shareRead = read / ROWS;
  if (isLossy) expect(shareRead).toBeLessThan(0.05);
  else expect(read).toBe(0);
  const rows: object[] = [];
  for await (const one of listed(client)) rows.push(one);
  const { rows: copied } = await pool.query<{ row: object }>(`SELECT "row" FROM ${area.table}`);
  const sorted = (all: object[]) => all.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
  expect(sorted(copied.map((one) => one.row))).toEqual(sorted(rows));
  expect((await follow(true)).verified!.mended).toEqual([]);
  await pool.end();
  await Promise.all([served.stop(), redis.stop(), target.drop(), receiver.close()]);
  await Promise.all([pair.remove(), rm(directory, { recursive: true })]);
  return { shareRead, refusedAfterMs, hintedAfterMs };
}

export async function callerOf(databaseUrl: string): Promise<Caller> {
  const dataSource = await openDatabase(databaseUrl, [accessDatabase]);
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  return caller;
}
