import { randomUUID } from 'node:crypto';
import { RetentionJob } from '@cxp/records';
import { expiredResponses } from '../src/retention/expired-responses';
import { everythingOf, useSurvey } from './survey-service';

const OLD = '2024-01-05T00:00:00.000Z';
const RECENT = new Date().toISOString();
const EVER = { start_date: '2020-01-01', end_date: '2035-01-01' };

const survey = useSurvey();
const keeping = useSurvey({ SURVEY_RESPONSES_KEPT_DAYS: '30' });

const response = survey.response.bind(survey);

beforeEach(async () => {
  await survey.importCampaign();
});

async function listed(from = survey): Promise<Record<string, unknown>[]> {
  const { body } = await from.listResponses(EVER).expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

function removeExpired(): Promise<void> {
  const { dataSource } = survey.service;
  return new RetentionJob(dataSource, expiredResponses(dataSource), 30).removeExpired();
}

describe('responses that have been kept long enough', () => {
  it('are removed in their steps, with the reason, and no others', async () => {
    const expired = Array.from({ length: 600 }, () => response({ sent_timestamp: OLD }));
    const answeredLately = response({ sent_timestamp: OLD, answered_timestamp: RECENT });
    await survey.importResponses(...expired, answeredLately);
    const { body: first } = await survey.changes({ limit: 1_000 });
    await removeExpired();
    expect(await listed()).toMatchObject([{ identifier: answeredLately.identifier }]);
    const { body } = await survey.changes({ limit: 1_000, cursor: first.next_cursor });
    expect(body.items).toHaveLength(600);
    expect(body.items[0]).toMatchObject({ op: 'delete', reason: 'expired' });
    expect(
      await survey.service.dataSource.query('SELECT FROM survey.erased_key WHERE organization_id = $1', [
        survey.caller.organizationId,
      ]),
    ).toEqual([]);
  });

  it('leave no count of their day, and no campaign that never arrived', async () => {
    const [neverArrived, alsoRecent] = [randomUUID(), randomUUID()];
    await survey.importResponses(
      response({ sent_timestamp: OLD }),
      response({ sent_timestamp: RECENT }),
      response({ sent_timestamp: OLD, survey_campaign_id: neverArrived }),
      response({ sent_timestamp: OLD, survey_campaign_id: alsoRecent }),
      response({ sent_timestamp: RECENT, survey_campaign_id: alsoRecent }),
    );
    await removeExpired();
    const everything = await everythingOf(survey);
    expect(everything).not.toContain(neverArrived);
    expect(everything).toContain(alsoRecent);
    const counts = await survey.service.dataSource.query<object[]>(
      'SELECT rows FROM survey.bucket WHERE organization_id = $1',
      [survey.caller.organizationId],
    );
    expect(counts).toEqual([{ rows: 1 }, { rows: 1 }]);
    // A response of the same day is counted again.
    const late = response({ sent_timestamp: OLD, answered_timestamp: RECENT });
    await survey.importResponses(late);
    expect(await listed()).toMatchObject([{ identifier: late.identifier }, {}]);
  });

  it('are accepted and ignored when they arrive', async () => {
    await keeping.importCampaign();
    const answeredLately = keeping.response({ sent_timestamp: OLD, answered_timestamp: RECENT });
    await keeping.importResponses(keeping.response({ sent_timestamp: OLD }), answeredLately);
    expect(await listed(keeping)).toMatchObject([{ identifier: answeredLately.identifier }]);
  });
});
