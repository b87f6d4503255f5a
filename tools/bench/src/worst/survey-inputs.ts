import { randomUUID } from 'node:crypto';
import { MAX_TITLE_CHARACTERS, surveyRecordTypes } from '@cxp/platform-records';
import { send, type HttpRequest } from '@cxp/services/http';
import { NOON } from '@cxp/services/tenants';
import { postJson } from '@cxp/services/workloads';
import { MAX_BATCH_ITEMS, MAX_MAPPING_ITEMS } from '@cxp/survey-api/links/link.schema';
import { CAMPAIGN_LIMITS, MAX_METADATA_FIELDS } from '@cxp/survey-api/records/survey-records';
import {
  each,
  get,
  input,
  LONG_TEXT,
  NDJSON,
  open,
  records,
  store,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './input';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const WINDOW = 'start_date=2026-01-01&end_date=2026-01-31';
const CAMPAIGNS = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';
const RESPONSE_CHANGES = '/external/survey-response-changes';
const FORM_BYTES = 64 * 1_024 - 200;
/** Metadata fields, with room for those that a tenant has. */
const FIELDS = MAX_METADATA_FIELDS - 10;
const LARGE_ROWS = 24;

/** The largest campaigns: by options, by cells, and by text, of which pages have to escape `<`. */
const LARGEST = {
  'of rankings': { size: CAMPAIGN_LIMITS.controls, questions: (size: number) => [ranking(size)] },
  'of matrices': {
    size: CAMPAIGN_LIMITS.controls / 50,
    questions: (size: number) => {
      const column_titles = each(50, (n) => `${n}`.padEnd(1_000, '<'));
      return [
        { id: 1, type: 'matrix', title: 'x', row_titles_by_id: numbered(size, () => 'x'), column_titles },
      ];
    },
  },
  'of long titles': {
    size: Math.floor((surveyRecordTypes.survey_campaign.maxBytes - 2_000) / (MAX_TITLE_CHARACTERS + 100)),
    questions: (size: number) =>
      each(size, (n) => ({ id: n + 1, type: 'text', title: '<'.repeat(MAX_TITLE_CHARACTERS) })),
  },
};
type Kind = keyof typeof LARGEST;
const KINDS = Object.keys(LARGEST) as Kind[];

/** What schemas do not say of surveys: campaigns at their limits, what their pages and exports hold, links of many fields. */
export const SURVEYS: WorstInputs = {
  [`GET ${CAMPAIGNS}`]: [
    input(
      'a page of the largest campaigns',
      async (place, size) => {
        for (let n = 0; n < size; n++) await storeCampaign(place, KINDS[n % KINDS.length]!);
        return get(`${CAMPAIGNS}?per_page=100`, place);
      },
      LARGE_ROWS,
    ),
  ],
  [`GET ${RESPONSES}`]: [
    ofLargeResponses('a page', (place) => {
      const campaign = `survey_campaign_id=${place.tenant.campaignId}`;
      return get(`${RESPONSES}?${campaign}&${WINDOW}&per_page=100`, place);
    }),
  ],
  [`GET ${RESPONSE_CHANGES}`]: [
    ofLargeResponses('a stream', (place) => get(RESPONSE_CHANGES, place, NDJSON)),
  ],
  [`POST ${RESPONSES}/export`]: ['text/csv', 'application/json', XLSX].map(wideExport),
  [`POST ${CAMPAIGNS}/{survey_campaign_id}/links/batch`]: [
    input(
      'the most and largest links',
      async (place, size) => {
        const fields = await storeFields(place, MAX_MAPPING_ITEMS / 4);
        const path = `${CAMPAIGNS}/${place.tenant.campaignId}/links/batch`;
        const mapping = (value: string) => fields.map((metadata_id) => ({ metadata_id, value }));
        return (run) =>
          postJson(path, place.tenant.caller, {
            items: each(size, (n) => ({ name: 'x', metadata_mapping: mapping(`${run * size + n}`) })),
          });
      },
      Math.min(MAX_BATCH_ITEMS, 350),
    ),
  ],
  'GET /s/assets/{name}': [open('/s/assets/survey-page.js')],
  'GET /s/{publicId}': KINDS.map((kind) =>
    input(
      `the largest campaign ${kind}`,
      async (place, size) => get(await openLink(place, await storeCampaign(place, kind, size))),
      LARGEST[kind].size,
    ),
  ),
  'GET /s/{publicId}/logo': [open('/s/unknown/logo')],
  'GET /s/{publicId}/qr.svg': [
    input('the picture', async (place) => get(`${await openLink(place, place.tenant.campaignId)}/qr.svg`)),
  ],
  'POST /s/{publicId}/responses': [
    // The page is shown again with every one of the answers that are wrong.
    ...KINDS.map((kind) =>
      form(`the largest wrong answers to the largest campaign ${kind}`, kind, (n) =>
        kind === 'of long titles' ? `q${n + 1}=${'x'.repeat(100)}` : `q1.${n + 1}=1`,
      ),
    ),
    form('as many unknown questions as fit', 'of rankings', (n) => `q${n + 1_000}=1`),
  ],
  'record survey_campaign': KINDS.map((kind) =>
    input(
      `the largest campaign ${kind}`,
      (place, size) => () => records(place, 'survey_campaign', [campaign(LARGEST[kind].questions(size))]),
      LARGEST[kind].size,
    ),
  ),
  'record survey_response': [
    input(
      'all answers to the largest campaign',
      async (place, size) => {
        const id = await storeCampaign(place, 'of rankings');
        return () => records(place, 'survey_response', [response(id, { answers: { 1: ranks(size) } })]);
      },
      LARGEST['of rankings'].size,
    ),
  ],
};

/** A form to the page of a campaign that is filled with one kind of field. */
function form(what: string, kind: Kind, field: (n: number) => string): WorstInput {
  return input(what, async (place) => {
    const path = `${await openLink(place, await storeCampaign(place, kind))}/responses`;
    let body = field(0);
    for (let n = 1; body.length < FORM_BYTES - 110; n++) body += `&${field(n)}`;
    return { method: 'POST', path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
  });
}

/** A call when there are so many of the largest responses. */
function ofLargeResponses(what: string, request: (place: Place) => HttpRequest): WorstInput {
  return input(
    `${what} of the largest responses`,
    async (place, size) => {
      const data = { transaction_id: LONG_TEXT };
      const responses = each(size, () => response(place.tenant.campaignId, data));
      await store(place, 'survey_response', responses, 100);
      return request(place);
    },
    LARGE_ROWS,
  );
}

/** Every rank of every option, and every metadata field: as many columns as an export can have, with names as long as they may be. */
function wideExport(accept: string): WorstInput {
  const options = CAMPAIGN_LIMITS.controls;
  const title = 'x'.repeat(CAMPAIGN_LIMITS.headingCharacters / options - 50);
  return input(
    `the most columns as ${accept}`,
    async (place, size) => {
      const stored = campaign([{ ...ranking(options), title }]);
      await store(place, 'survey_campaign', [stored]);
      await storeFields(place, FIELDS);
      const responses = each(size, () => response(stored.id, { answers: { 1: ranks(options) } }));
      await store(place, 'survey_response', responses, 10);
      const path = `${RESPONSES}/export?survey_campaign_id=${stored.id}&${WINDOW}`;
      return { ...get(path, place, accept), method: 'POST' };
    },
    40,
  );
}

/** @returns the path of the page that a link of a campaign opens */
async function openLink({ url, tenant }: Place, campaignId: string): Promise<string> {
  const request = postJson(`${CAMPAIGNS}/${campaignId}/links`, tenant.caller, { name: 'x' });
  const { body } = await send(url, request);
  return `/s/${(body as { public_id: string }).public_id}`;
}

/** @returns its id */
async function storeCampaign(place: Place, kind: Kind, size = LARGEST[kind].size): Promise<string> {
  const stored = campaign(LARGEST[kind].questions(size));
  await store(place, 'survey_campaign', [stored]);
  return stored.id;
}

async function storeFields(place: Place, count: number): Promise<number[]> {
  const ids = each(count, (n) => n + 1);
  const variable = (id: number) => `variable-${id}-`.padEnd(255, 'x');
  const fields = ids.map((id) => ({ id, name: `field ${id}`, variable: variable(id) }));
  await store(place, 'metadata_field', fields);
  return ids;
}

function campaign(survey_questions: readonly object[]) {
  return { id: randomUUID(), name: 'Visit', status: 'active', survey_questions };
}

function response(campaignId: string, data: object): object {
  return { identifier: randomUUID(), survey_campaign_id: campaignId, sent_timestamp: NOON, ...data };
}

function ranking(options: number) {
  return { id: 1, type: 'ranking', title: 'x', option_titles_by_id: numbered(options, () => 'x') };
}

function ranks(options: number): Record<string, number> {
  return numbered(options, (n) => n);
}

/** @returns members with the names 1 to `count` */
function numbered<Value>(count: number, value: (n: number) => Value): Record<string, Value> {
  return Object.fromEntries(each(count, (n) => [String(n + 1), value(n + 1)]));
}
