import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { CxpClient, type SurveyResponse } from '@cxp/client';
import { type Caller, startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { followedFeeds, Follower, type FollowSummary, PostgresDatabase, TableCopy } from '@cxp/follower';
import { importRecords } from '@cxp/system-tests/http';
import { campaignRecord } from './campaign-record';

const AREA = followedFeeds.find(({ name }) => name === 'survey')!;
const CAMPAIGN = randomUUID();
const IDENTIFIERS = [randomUUID(), randomUUID(), randomUUID()] as const;

let service: TestService;
let caller: Caller;
let client: CxpClient;
let target: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  service = await startTestService(SurveyModule, surveyDatabase);
  target = await createTestDatabase();
  pool = new Pool({ connectionString: target.url });
  caller = await service.caller();
  const { organizationId, token } = caller;
  client = new CxpClient({ organizationId, token, urls: { survey: service.url } });
  await load(
    campaignRecord(CAMPAIGN, 'active'),
    ...IDENTIFIERS.map((identifier) => response(identifier, 'first')),
  );
});
afterAll(async () => {
  await pool.end();
  await target.drop();
  await service.stop();
});

function follow(options: { verify?: boolean } = {}): Promise<FollowSummary> {
  const copy = new TableCopy(new PostgresDatabase(pool), AREA, caller.organizationId);
  return new Follower(client, copy, {
    once: true,
    verify: false,
    report: () => undefined,
    ...options,
  }).run();
}

it('copies all responses, and then every change', async () => {
  await follow();
  await expectCopy(3);
  await load(response(IDENTIFIERS[0], 'second'), {
    type: 'survey_response',
    op: 'delete',
    data: { identifier: IDENTIFIERS[1] },
  });
  await follow();
  await expectCopy(2);
});

it('--verify finds nothing wrong with a response at the end of the calendar', async () => {
  const identifier = randomUUID();
  const data = { identifier, survey_campaign_id: CAMPAIGN, sent_timestamp: '9999-12-31T23:59:59Z' };
  await load({ type: 'survey_response', data });
  await follow();
  expect((await follow({ verify: true })).verified!.mended).toEqual([]);
  await load({ type: 'survey_response', op: 'delete', data: { identifier } });
});

it('keeps the responses of a campaign that is deleted, which C2 lists, too', async () => {
  await load(campaignRecord(CAMPAIGN, 'deleted'));
  await follow();
  await expectCopy(2);
  await load(campaignRecord(CAMPAIGN, 'active'));
});

it.each([
  ['a row that was changed', `UPDATE cxp.survey_response SET "row" = jsonb_set("row", '{user_name}', '"x"')`],
  ['rows that were removed', 'DELETE FROM cxp.survey_response'],
  [
    'another day',
    `UPDATE cxp.survey_response SET "row" = jsonb_set("row", '{sent_timestamp}', '"2020-01-01T00:00:00.000Z"')`,
  ],
  ['a row without timestamps', `UPDATE cxp.survey_response SET "row" = '{}'`],
])('--verify finds and mends %s', async (_, tamper) => {
  await follow();
  expect((await follow({ verify: true })).verified!.mended).toEqual([]);
  await pool.query(tamper);
  expect((await follow({ verify: true })).verified!.mended).toContain(`${CAMPAIGN} 2026-01-06`);
  await expectCopy(2);
});

it('after a 410 it loses no response that slips to another page while others are removed', async () => {
  const days = ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04'];
  const others = days.map((day) => sentAt(randomUUID(), `${day}T05:00:00.000Z`));
  const ofDay = Array.from({ length: 150 }, (_, place) =>
    sentAt(randomUUID(), new Date(Date.parse('2026-02-05T05:00:00Z') + place * 1_000).toISOString()),
  );
  await load(...others, ...ofDay);
  await follow();
  await pool.query('DELETE FROM cxp.survey_response WHERE identifier = $1', [ofDay[50]!.data.identifier]);
  await service.dataSource.query('UPDATE survey.change_epoch SET epoch = gen_random_uuid()');
  const { surveyResponses } = client;
  const page = surveyResponses.page.bind(surveyResponses);
  const removed = ofDay.slice(0, 5);
  const pages = jest.spyOn(surveyResponses, 'page').mockImplementation(async (query, options) => {
    const answered = await page(query, options);
    if (query.start_date === '2026-02-05' && query.page === 1 && removed.length > 0)
      await load(
        ...removed
          .splice(0)
          .map(({ type, data: { identifier } }) => ({ type, op: 'delete', data: { identifier } })),
      );
    return answered;
  });
  await follow();
  expect(pages).toHaveBeenCalled();
  await expectCopy(2 + days.length + 145);
});

/** A response that was sent at an instant, and no more. */
function sentAt(identifier: string, sent_timestamp: string) {
  return { type: 'survey_response', data: { identifier, survey_campaign_id: CAMPAIGN, sent_timestamp } };
}

async function expectCopy(count: number): Promise<void> {
  const { rows } = await pool.query<{ row: SurveyResponse }>('SELECT "row" FROM cxp.survey_response');
  expect(byIdentifier(rows.map(({ row }) => row))).toEqual(byIdentifier(await listedResponses()));
  expect(rows).toHaveLength(count);
}

const byIdentifier = (all: readonly SurveyResponse[]) => new Map(all.map((row) => [row.identifier, row]));

async function listedResponses(): Promise<SurveyResponse[]> {
  const listed: SurveyResponse[] = [];
  const window = { survey_campaign_id: CAMPAIGN, start_date: '2025-01-01', end_date: '2027-01-01' };
  for await (const row of client.surveyResponses.list(window)) listed.push(row);
  return listed;
}

/** Sent on a day that is the next one in UTC+7. */
function response(identifier: string, answer: string): object {
  const times = {
    sent_timestamp: '2026-01-05T20:00:00.000Z',
    answered_timestamp: '2026-01-06T01:00:00.000Z',
  };
  return {
    type: 'survey_response',
    data: { identifier, survey_campaign_id: CAMPAIGN, ...times, source: 'Email', answers: { '1': answer } },
  };
}

function load(...records: object[]): Promise<void> {
  return importRecords(service.url, caller, records);
}
