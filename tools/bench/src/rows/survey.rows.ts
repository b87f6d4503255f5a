import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { HttpRequest } from '@cxp/services/http';
import { survey } from '@cxp/services/service-under-test';
import { postJson } from '@cxp/services/workloads';
import { campaignRecords, fullResponses, manyResponses, QUESTIONS } from '../data/surveys';
import { throughput, time } from '../measure';
import type { Caller, Target } from '../target';
import { calls, CONNECTIONS, get, memory, ROWS, suite } from './row';

interface Data {
  readonly caller: Caller;
  readonly exported: string;
  readonly listed: string;
  /** Campaigns of links. */
  readonly linked: readonly string[];
  /** Public ids of links of a campaign with ten questions. */
  readonly pages: readonly string[];
  readonly importing: readonly Caller[];
}

const EXPORTED = 5_000;
const PER_PAGE = 100;
const LINK_CAMPAIGNS = 100;
const PAGES = 100;
const SUBMITTED = 1_000;
const IMPORTED = 20_000;
const IMPORTS = 8;
const WINDOW = 'start_date=2026-08-01&end_date=2026-10-30';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
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

let turn = 0;

export const surveyRows = suite<Data>({
  name: `survey-api, ${ROWS.toLocaleString('en')} responses of a campaign`,
  services: [survey],
  bareEntry: 'bare/survey.ts',
  prepare: async (target) => {
    const caller = await target.newCaller();
    const [exported, listed, paged] = [randomUUID(), randomUUID(), randomUUID()];
    const linked = Array.from({ length: LINK_CAMPAIGNS }, () => randomUUID());
    await target.store(survey, caller, campaignRecords([exported, listed, ...linked]));
    await target.store(survey, caller, campaignRecords([paged], TEN_QUESTIONS));
    await target.store(survey, caller, manyResponses(listed, ROWS));
    await target.store(survey, caller, fullResponses(exported, EXPORTED));
    const pages: string[] = [];
    for (let n = 0; n < PAGES; n++) {
      const answer = await target.call(survey, link(caller, paged, n));
      pages.push((answer.body as { public_id: string }).public_id);
    }
    const importing: Caller[] = [];
    for (let n = 0; n < IMPORTS; n++) importing.push(await target.newCaller());
    await target.vacuum();
    return { caller, exported, listed, linked, pages, importing };
  },
  rows: [
    calls(survey, 'C2, last page', ({ caller, listed }) => {
      const query = `survey_campaign_id=${listed}&${WINDOW}&per_page=${PER_PAGE}&page=${ROWS / PER_PAGE}`;
      return get(`/external/survey-responses?${query}`, caller);
    }),
    {
      name: `C3, ${EXPORTED.toLocaleString('en')} × 40 as CSV (beside COPY of the table and iconv)`,
      unit: 'ms',
      aim: { of: 'bare', most: 3 },
      measure: (target, data) => time(3, () => exportFile(target, data, '*/*')),
      bare: (target, { exported }) => time(3, () => copyTable(target.postgres.url, exported)),
    },
    {
      name: `C3, ${EXPORTED.toLocaleString('en')} × 40 as XLSX`,
      unit: 'ms',
      measure: (target, data) => time(3, () => exportFile(target, data, XLSX)),
    },
    calls(
      survey,
      'C4, a new link',
      ({ caller, linked }) => link(caller, linked[turn % LINK_CAMPAIGNS]!, turn++),
      { bare: 'handler' },
    ),
    calls(survey, 'a survey page of ten questions', ({ pages }) => ({
      method: 'GET',
      path: `/s/${pages[turn++ % PAGES]!}`,
    })),
    {
      name: 'answers of a survey page, one organization',
      unit: '/s',
      measure: async (target, { pages }) => {
        const forms: HttpRequest[] = [];
        await throughput(SUBMITTED, CONNECTIONS, async (n) => {
          forms.push(await filledForm(target, pages[n % PAGES]!));
        });
        return throughput(SUBMITTED, CONNECTIONS, async (n) => {
          await target.call(survey, forms[n]!);
        });
      },
    },
    {
      name: 'intake, responses',
      unit: '/s',
      measure: async (target, { importing }, round) => {
        const caller = importing[round]!;
        const campaign = randomUUID();
        await target.store(survey, caller, campaignRecords([campaign]));
        return { value: IMPORTED / (await target.store(survey, caller, manyResponses(campaign, IMPORTED))) };
      },
    },
    memory(survey, 'resident memory after these calls'),
  ],
});

async function exportFile(target: Target, { caller, exported }: Data, accept: string): Promise<void> {
  await target.call(survey, {
    method: 'POST',
    path: `/external/survey-responses/export?survey_campaign_id=${exported}&${WINDOW}`,
    headers: { ...caller.headers, accept },
  });
}

/** `COPY … TO STDOUT | iconv -t UTF-16LE`, of the same responses as they are stored. */
async function copyTable(databaseUrl: string, campaignId: string): Promise<void> {
  const iconv = spawn('iconv', ['-f', 'UTF-8', '-t', 'UTF-16LE'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const rows = `SELECT * FROM survey.response WHERE campaign_id = '${campaignId}' ORDER BY earliest_at, identifier`;
  await Promise.all([
    pipeline(client.query(copyTo(`COPY (${rows}) TO STDOUT WITH (FORMAT csv)`)), iconv.stdin),
    once(iconv.stdout.resume(), 'end'),
  ]);
  await client.end();
}

/** A page as a respondent sends it. */
async function filledForm(target: Target, publicId: string): Promise<HttpRequest> {
  const { text } = await target.call(survey, { method: 'GET', path: `/s/${publicId}` });
  const [, identifier = ''] = /name="identifier" value="([^"]+)"/.exec(text) ?? [];
  return {
    method: 'POST',
    path: `/s/${publicId}/responses`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...ANSWERS, identifier }).toString(),
  };
}

function link(caller: Caller, campaignId: string, n: number): HttpRequest {
  return postJson(`/external/survey-campaigns/${campaignId}/links`, caller, {
    name: 'Cửa hàng Hà Nội 01',
    metadata_mapping: [
      { metadata_id: 1, value: `Hà Nội ${n}` },
      { metadata_id: 2, value: 17 },
      { metadata_id: 3, value: ['mới', 'trực tuyến'] },
    ],
  });
}
