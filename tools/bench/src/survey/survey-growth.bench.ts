import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildDeployable } from '@cxp/build';
import { startPostgres, startRedis } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { survey } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { type Figures, grow } from '../charts/grow';
import { recordGrowth } from '../charts/record-growth';
import { runLoad } from '../load';
import { planSteps, reportProgress } from '../progress';
import { startUnderTest } from '../start-under-test';
import { manyResponses, METADATA_FIELDS, QUESTIONS, storeRecords } from './bench-data';

const ORGANIZATION = 'bench';
/** Of one campaign. 1,000,000 take two minutes to store. */
const RESPONSES = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number);
const CLIENTS = [1, 4, 16, 64, 256];
const SECONDS = 2;
/** Unless clients are what grows. */
const CONNECTIONS = 8;
const PER_PAGE = 20;
const WINDOW = 'start_date=2026-08-01&end_date=2026-10-30';
const DAY = 'start_date=2026-09-15&end_date=2026-09-15';

type NextRequest = Parameters<typeof runLoad>[0]['nextRequest'];

/** Cost as work grows: stored responses, concurrent clients. Draws the chart of area C. About four minutes. */
export async function benchSurveyGrowth(): Promise<void> {
  planSteps(2 + RESPONSES.length + CLIENTS.length);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  reportProgress('build apps/survey-api');
  await buildDeployable('apps/survey-api');
  reportProgress('migrate');
  for (const area of [accessDatabase, surveyDatabase]) await migrate(area, postgres.url);
  const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
  const caller = await issueTestToken(dataSource, { organizationId: ORGANIZATION });
  const campaign = randomUUID();
  const store = (type: string, records: Iterable<object>) =>
    storeRecords(dataSource, ORGANIZATION, type, records);
  await store('organization_settings', [{ max_survey_links_per_campaign: 1_000_000 }]);
  await store('metadata_field', METADATA_FIELDS);
  await store('survey_campaign', [
    { id: campaign, name: 'Growth', status: 'active', touchpoints: [], survey_questions: QUESTIONS },
  ]);
  const service = await startUnderTest(survey, { postgres, redis });

  const measure = async (connections: number, stored: number) => {
    const figures: Record<string, Figures> = {};
    for (const [name, nextRequest] of Object.entries(requestsOf(campaign, stored))) {
      figures[name] = await runLoad({
        url: service.url,
        headers: { ...caller.headers, 'content-type': 'application/json' },
        nextRequest,
        connections,
        seconds: SECONDS,
        expectedStatus: 200,
      });
    }
    return figures;
  };
  let stored = 0;
  const responses = await grow('stored responses', RESPONSES, async (size) => {
    await store('survey_response', manyResponses(campaign, size - stored));
    stored = size;
    await dataSource.query('VACUUM ANALYZE');
    return measure(CONNECTIONS, stored);
  });
  const clients = await grow('concurrent clients', CLIENTS, (size) => measure(size, stored));
  recordGrowth('survey', [responses, clients]);
  await dataSource.destroy();
  await service.stop();
  await Promise.all([postgres.stop(), redis.stop()]);
}

function requestsOf(campaign: string, stored: number): Record<string, NextRequest> {
  const responses = `/external/survey-responses?survey_campaign_id=${campaign}&${WINDOW}&per_page=${PER_PAGE}`;
  const get = (path: string): NextRequest => {
    return () => ({ method: 'GET', path });
  };
  return {
    campaigns: get('/external/survey-campaigns'),
    'responses, any page': () => ({
      method: 'GET',
      path: `${responses}&page=${1 + Math.floor((Math.random() * stored) / PER_PAGE)}`,
    }),
    'changes, the first 20': get(`/external/survey-response-changes?limit=${PER_PAGE}`),
    'digests of a day': get(`/external/survey-response-digests?${DAY}`),
    'link, new': () => ({
      method: 'POST',
      path: `/external/survey-campaigns/${campaign}/links`,
      body: JSON.stringify({ name: 'Growth', metadata_mapping: [{ metadata_id: 1, value: randomUUID() }] }),
    }),
  };
}
