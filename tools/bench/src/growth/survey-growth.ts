import { randomUUID } from 'node:crypto';
import { survey } from '@cxp/services/service-under-test';
import { BenchStack, buildServices } from '../bench-stack';
import type { Load } from '../load';
import { loadRecords } from '../load-records';
import { campaignRecords, manyResponses } from '../survey/bench-data';
import { measureRequests, sizesOf, type Growth } from './growth';

const ORGANIZATION = 'bench';
const SECONDS = 2;
/** Unless clients are what grows. */
const CONNECTIONS = 8;
const PER_PAGE = 20;
const WINDOW = 'start_date=2026-08-01&end_date=2026-10-30';
const DAY = 'start_date=2026-09-15&end_date=2026-09-15';

/** Area C: stored responses of one campaign (1,000,000 take two minutes to store), concurrent clients. About four minutes. */
export async function surveyGrowth(): Promise<Growth> {
  await buildServices([survey]);
  const stack = await BenchStack.start();
  const headers = await stack.addOrganization(ORGANIZATION);
  const campaign = randomUUID();
  const { url } = await stack.startService(survey);
  await loadRecords({ url, headers }, campaignRecords([campaign]));
  const load = {
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    seconds: SECONDS,
    expectedStatus: 200,
  };
  let stored = 0;
  const measure = (connections: number) =>
    measureRequests({ ...load, connections }, requestsOf(campaign, stored));
  return {
    dimensions: [
      {
        name: 'stored responses',
        sizes: sizesOf('SIZES', [10_000, 100_000, 1_000_000]),
        measure: async (size) => {
          await loadRecords({ url, headers }, manyResponses(campaign, size - stored));
          stored = size;
          await stack.dataSource.query('VACUUM ANALYZE');
          return measure(CONNECTIONS);
        },
      },
      { name: 'concurrent clients', sizes: sizesOf('CLIENTS', [1, 4, 16, 64, 256]), measure },
    ],
    stop: () => stack.stop(),
  };
}

function requestsOf(campaign: string, stored: number): Record<string, Load['nextRequest']> {
  const responses = `/external/survey-responses?survey_campaign_id=${campaign}&${WINDOW}&per_page=${PER_PAGE}`;
  const get =
    (path: string): Load['nextRequest'] =>
    () => ({ method: 'GET', path });
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
