import { randomUUID } from 'node:crypto';
import { eventually } from '@cxp/service-kit/testing';
import { survey } from '@cxp/services/service-under-test';
import { campaignRecords, fullResponses, manyResponses, PHONE, QUESTIONS } from '../data/surveys';
import { throughput, time, type Call } from '../measure';
import type { Caller, Target } from '../target';
import { copyBaseline, copyStatement, readAll } from './copy-export';
import { calls, CONNECTIONS, get, memory, post, ROWS, suite, type Row } from './row';

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
      pages.push(((await answer.json()) as { public_id: string }).public_id);
    }
    const importing: Caller[] = [];
    for (let n = 0; n < IMPORTS; n++) importing.push(await target.newCaller());
    await target.vacuum();
    return { caller, exported, listed, linked, pages, importing };
  },
  rows: [
    calls(survey, 'C1', ({ caller }) => get('/external/survey-campaigns', caller)),
    page('C2, first page', () => 1),
    page('C2, last page', () => ROWS / PER_PAGE),
    {
      name: `C3, ${EXPORTED.toLocaleString('en')} × 40 as CSV (beside COPY and iconv)`,
      unit: 'ms',
      aim: { of: 'bare', most: 1 },
      measure: (target, data) => time(3, () => exportFile(target, data, '*/*')),
      bare: (target, { caller, exported }) => {
        const statement = copyStatement(caller.organizationId, exported, EXPORTED);
        return time(3, () => copyBaseline(target.postgres.url, statement));
      },
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
    calls(
      survey,
      'C4, a link that exists',
      ({ caller, linked }) => {
        const n = turn++ % LINK_CAMPAIGNS;
        return link(caller, linked[n]!, n);
      },
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
        const forms: Call[] = [];
        await throughput(SUBMITTED, CONNECTIONS, async (n) => {
          forms.push(await filledForm(target, pages[n % PAGES]!));
        });
        return throughput(SUBMITTED, CONNECTIONS, async (n) => {
          await (await target.call(survey, forms[n]!)).text();
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
    {
      name: `erasure of ${IMPORTED.toLocaleString('en')} responses of one person, until it is done`,
      unit: 'ms',
      measure: async (target, { importing }, round) => {
        const caller = importing[round]!;
        return time(1, () => erase(target, caller));
      },
    },
    memory(survey, 'resident memory after these calls'),
  ],
});

function page(name: string, number: () => number): Row<Data> {
  return calls(survey, name, ({ caller, listed }) => {
    const query = `survey_campaign_id=${listed}&${WINDOW}&per_page=${PER_PAGE}&page=${number()}`;
    return get(`/external/survey-responses?${query}`, caller);
  });
}

async function exportFile(target: Target, { caller, exported }: Data, accept: string): Promise<Buffer> {
  const answer = await target.call(survey, {
    method: 'POST',
    path: `/external/survey-responses/export?survey_campaign_id=${exported}&${WINDOW}`,
    headers: { ...caller.headers, accept },
  });
  return readAll(answer.body as unknown as AsyncIterable<Uint8Array>);
}

/** A page as a respondent sends it. */
async function filledForm(target: Target, publicId: string): Promise<Call> {
  const answer = await target.call(survey, { method: 'GET', path: `/s/${publicId}` });
  const [, identifier = ''] = /name="identifier" value="([^"]+)"/.exec(await answer.text()) ?? [];
  return {
    method: 'POST',
    path: `/s/${publicId}/responses`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...ANSWERS, identifier }).toString(),
  };
}

async function erase(target: Target, caller: Caller): Promise<void> {
  const subject = { phones: [PHONE] };
  const call = post('/external/erasures', caller, { id: randomUUID(), subject, mode: 'delete' });
  await eventually(async () => {
    const certificate = (await (await target.call(survey, call)).json()) as { erasedAt: string | null };
    return certificate.erasedAt !== null;
  });
}

function link(caller: Caller, campaignId: string, n: number): Call {
  return post(`/external/survey-campaigns/${campaignId}/links`, caller, {
    name: 'Cửa hàng Hà Nội 01',
    metadata_mapping: [
      { metadata_id: 1, value: `Hà Nội ${n}` },
      { metadata_id: 2, value: 17 },
      { metadata_id: 3, value: ['mới', 'trực tuyến'] },
    ],
  });
}
