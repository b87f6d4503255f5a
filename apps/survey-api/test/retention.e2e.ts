import { randomUUID } from 'node:crypto';
import { RetentionJob } from '@cxp/records';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import request from 'supertest';
import { expiredResponses } from '../src/retention/expired-responses';
import { campaignRecord, responseRecord } from './records';
import { everythingOf, importRecords, listResponses, startSurvey } from './survey-service';

const OLD = '2024-01-05T00:00:00.000Z';
const RECENT = new Date().toISOString();

let service: TestService;
let caller: Caller;
let campaign: string;

beforeAll(async () => {
  service = await startSurvey();
});
beforeEach(async () => {
  caller = await service.caller();
  campaign = randomUUID();
});
afterAll(() => service.stop());

const response = (parts: object = {}) => responseRecord({ survey_campaign_id: campaign, ...parts });

async function storeIn(target: TestService, as: Caller, ...responses: object[]): Promise<void> {
  const records = responses.map((record) => ['survey_response', record] as const);
  await importRecords(target, as, ['survey_campaign', campaignRecord({ id: campaign })], ...records);
}

async function listed(target = service, as = caller): Promise<Record<string, unknown>[]> {
  const window = { survey_campaign_id: campaign, start_date: '2020-01-01', end_date: '2035-01-01' };
  const { body } = await listResponses(target, as, window).expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

function removeExpired(): Promise<void> {
  const { dataSource } = service;
  return new RetentionJob(dataSource, expiredResponses(dataSource), 30).removeExpired();
}

const changes = (query: string) =>
  request(service.url).get(`/external/survey-response-changes?limit=1000${query}`).set(caller.headers);

describe('responses that have been kept long enough', () => {
  it('are removed in their steps, with the reason, and no others', async () => {
    const expired = Array.from({ length: 600 }, () => response({ sent_timestamp: OLD }));
    const answeredLately = response({ sent_timestamp: OLD, answered_timestamp: RECENT });
    await storeIn(service, caller, ...expired, answeredLately);
    const { body: first } = await changes('');
    const { dataSource } = service;
    await removeExpired();
    expect(await listed()).toMatchObject([{ identifier: answeredLately.identifier }]);
    const { body } = await changes(`&cursor=${first.next_cursor}`);
    expect(body.items).toHaveLength(600);
    expect(body.items[0]).toMatchObject({ op: 'delete', reason: 'expired' });
    expect(
      await dataSource.query('SELECT FROM survey.erased_key WHERE organization_id = $1', [
        caller.organizationId,
      ]),
    ).toEqual([]);
  });

  it('leave no count of their day, and no campaign that never arrived', async () => {
    const [neverArrived, alsoRecent] = [randomUUID(), randomUUID()];
    await storeIn(
      service,
      caller,
      response({ sent_timestamp: OLD }),
      response({ sent_timestamp: RECENT }),
      response({ sent_timestamp: OLD, survey_campaign_id: neverArrived }),
      response({ sent_timestamp: OLD, survey_campaign_id: alsoRecent }),
      response({ sent_timestamp: RECENT, survey_campaign_id: alsoRecent }),
    );
    const { dataSource } = service;
    await removeExpired();
    const everything = await everythingOf(service, caller);
    expect(everything).not.toContain(neverArrived);
    expect(everything).toContain(alsoRecent);
    const counts = await dataSource.query<object[]>(
      'SELECT rows FROM survey.bucket WHERE organization_id = $1',
      [caller.organizationId],
    );
    expect(counts).toEqual([{ rows: 1 }, { rows: 1 }]);
    // A response of the same day is counted again.
    const late = response({ sent_timestamp: OLD, answered_timestamp: RECENT });
    await storeIn(service, caller, late);
    expect(await listed()).toMatchObject([{ identifier: late.identifier }, {}]);
  });

  it('are accepted and ignored when they arrive', async () => {
    const keeping = await startSurvey({ SURVEY_RESPONSES_KEPT_DAYS: '30' });
    try {
      const theirs = await keeping.caller();
      const answeredLately = response({ sent_timestamp: OLD, answered_timestamp: RECENT });
      await storeIn(keeping, theirs, response({ sent_timestamp: OLD }), answeredLately);
      expect(await listed(keeping, theirs)).toMatchObject([{ identifier: answeredLately.identifier }]);
    } finally {
      await keeping.stop();
    }
  });
});
