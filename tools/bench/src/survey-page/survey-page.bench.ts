import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { survey } from '@cxp/services/service-under-test';
import { SurveySettings } from '@cxp/survey-api/settings';
import { ResponseSeal } from '@cxp/survey-api/survey-pages/response-seal';
import { BenchStack } from '../bench-stack';
import { COMPARISON_STEPS, compareLoad } from '../compare-load';
import type { Load } from '../load';
import { QUESTIONS } from './questions';
import { inspectPage } from './inspect-page';
import { planSteps, reportProgress } from '../progress';

const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = 32;
const ORGANIZATIONS = 100;
const KEY = { id: 'bench', secret: '0123456789abcdef0123456789abcdef' };

/** The page and a submit beside bare handlers, and what a browser says of the page. */
export async function benchSurveyPage(): Promise<void> {
  planSteps(3 + 3 * COMPARISON_STEPS);
  const stack = await BenchStack.start(survey);
  reportProgress('prepare data');
  const links = await prepareLinks(stack.dataSource);
  const env = {
    SURVEY_PUBLIC_URL: 'https://s.example.com',
    SURVEY_PAGE_KEYS: `${KEY.id}:${KEY.secret}`,
    SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT: '1000000',
    SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT: '1000000',
    SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: '1000000',
    SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: '1000000',
    SURVEY_PUBLIC_LINK_PER_SEC_LIMIT: '1000000',
    SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: '1000000',
  };
  reportProgress('start the service and the bare implementation');
  const service = await stack.startService(env);
  const bare = await stack.startBare('survey-page/bare-server.ts', env);
  const rows: Record<string, Record<string, string | number>> = {};
  for (const [name, scenario] of Object.entries(scenarios(links))) {
    rows[name] = await compareLoad(name, scenario, service.url, bare.url);
  }
  console.table(rows);
  reportProgress('inspect the page in a browser');
  console.table(await inspectPage(`${service.url}/s/${links[0]!}`));
  await stack.stop();
}

function scenarios(links: readonly string[]): Record<string, Omit<Load, 'url'>> {
  const seal = new ResponseSeal(Object.assign(new SurveySettings(), { SURVEY_PAGE_KEYS: [KEY] }));
  let turn = 0;
  const next = () => links[turn++ % links.length]!;
  const submit = (link: string) => ({
    method: 'POST' as const,
    path: `/s/${link}/responses`,
    body: new URLSearchParams({ ...ANSWERS, identifier: seal.create(link) }).toString(),
  });
  const base = { connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 200 };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    page: { ...base, headers: {}, nextRequest: () => ({ method: 'GET', path: `/s/${next()}` }) },
    'submit, many organizations': { ...base, headers, nextRequest: () => submit(next()) },
    'submit, one organization': { ...base, headers, nextRequest: () => submit(links[0]!) },
  };
}

const ANSWERS = {
  q1: '9',
  q2: '22',
  'q3.31': 'Tốt',
  'q4.41': '1',
  'q4.42': '2',
  q5: 'Nhân viên rất nhiệt tình.',
};

/** A campaign with ten questions and a link, in each of many organizations. */
async function prepareLinks(dataSource: DataSource): Promise<string[]> {
  const links: string[] = [];
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const [campaign, publicId] = [randomUUID(), randomBytes(16).toString('base64url')];
    await dataSource.query(
      `INSERT INTO survey.campaign (organization_id, id, status, name, questions) VALUES ($1, $2, 'active', $3, $4)`,
      [`bench-${n}`, campaign, 'Khảo sát sau mua hàng', JSON.stringify(QUESTIONS)],
    );
    await dataSource.query(
      `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping)
       VALUES ($1, $2, $3, '', 'Link', '[]')`,
      [`bench-${n}`, publicId, campaign],
    );
    links.push(publicId);
  }
  await dataSource.query('ANALYZE');
  return links;
}
