import { randomUUID } from 'node:crypto';
import { ErasureSecret } from '@cxp/erasure';
import { survey } from '@cxp/services/service-under-test';
import { newPublicId } from '@cxp/survey-api/links/public-id';
import { SurveySettings } from '@cxp/survey-api/settings';
import { ResponseSeal } from '@cxp/survey-api/survey-pages/response-seal';
import { withStack, type BenchStack } from '../bench-stack';
import { compareLoads } from '../in-turn';
import type { Load } from '../load';
import { loadRecords } from '../load-records';
import { reportProgress } from '../progress';
import { campaignRecords, QUESTIONS } from '../survey/bench-data';

const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = 32;
const ORGANIZATIONS = 100;
const KEY = { id: 'bench', secret: '0123456789abcdef0123456789abcdef' };

/** The page and a submit beside bare handlers. */
export function benchSurveyPage(): Promise<void> {
  return withStack([survey], 2, async (stack) => {
    const env = { SURVEY_PAGE_KEYS: `${KEY.id}:${KEY.secret}` };
    const { service, bare } = await stack.startBoth(survey, 'survey-page/bare-server.ts', env);
    reportProgress('prepare data');
    const links = await prepareLinks(stack, service.url);
    await compareLoads(scenarios(links), service, bare);
  });
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

/** A text, five choices, two checkboxes, a matrix and a ranking. */
const TEN_QUESTIONS = QUESTIONS.filter(({ id }) => id === 1 || id > 5);
const ANSWERS = {
  q1: 'Nhân viên rất nhiệt tình.',
  q6: '5',
  q11: '2',
  'q13.1': 'Tốt',
  'q14.1': '1',
  'q14.2': '2',
};

/** A campaign with ten questions and a link, in each of many organizations. */
async function prepareLinks(stack: BenchStack, url: string): Promise<string[]> {
  const links: string[] = [];
  const secret = await ErasureSecret.read(stack.dataSource.manager, 'survey');
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const [campaign, publicId] = [randomUUID(), newPublicId(secret, `bench-${n}`)];
    const headers = await stack.addOrganization(`bench-${n}`);
    await loadRecords({ url, headers }, campaignRecords([campaign], TEN_QUESTIONS));
    await stack.dataSource.query(
      `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping)
       VALUES ($1, $2, $3, '', 'Link', '[]')`,
      [`bench-${n}`, publicId, campaign],
    );
    links.push(publicId);
  }
  await stack.dataSource.query('ANALYZE');
  return links;
}
