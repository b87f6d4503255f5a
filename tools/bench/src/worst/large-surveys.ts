import { randomUUID } from 'node:crypto';
import { MAX_RECORD_BYTES, MAX_TITLE_CHARACTERS, surveyRecordTypes } from '@cxp/platform-records';
import { send, type HttpRequest } from '@cxp/services/http';
import { NOON } from '@cxp/services/tenants';
import { postJson } from '@cxp/services/workloads';
import { MAX_BATCH_ITEMS, MAX_MAPPING_ITEMS } from '@cxp/survey-api/links/link.schema';
import { CAMPAIGN_LIMITS, MAX_METADATA_FIELDS } from '@cxp/survey-api/records/survey-records';
import {
  each,
  get,
  input,
  open,
  records,
  store,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const WINDOW = 'start_date=2026-01-01&end_date=2026-01-31';
const CAMPAIGNS = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';
const CHANGES = '/external/survey-response-changes';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const FORM_BYTES = 64 * 1_024 - 200;
/** Metadata fields, with room for those that a tenant has. */
const FIELDS = MAX_METADATA_FIELDS - 10;
const LARGE_ROWS = 24;

/** The largest campaigns: by options, by cells, and by text, of which pages have to escape `<`. */
const LARGEST = {
  'of rankings': { size: CAMPAIGN_LIMITS.controls, questions: (size: number) => [ranking(size)] },
  'of matrices': {
    size: CAMPAIGN_LIMITS.controls / 50,
    questions: (size: number) => [
      { id: 1, type: 'matrix', title: 'x', row_titles_by_id: titles(size), column_titles: columns(50) },
    ],
  },
  'of long titles': {
    size: Math.floor((surveyRecordTypes.survey_campaign.maxBytes - 2_000) / (MAX_TITLE_CHARACTERS + 100)),
    questions: (size: number) =>
      each(size, (n) => ({ id: n + 1, type: 'text', title: '<'.repeat(MAX_TITLE_CHARACTERS) })),
  },
};
type Kind = keyof typeof LARGEST;
const KINDS = Object.keys(LARGEST) as Kind[];

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(4_980)}</svg>`;
const BRAND = {
  ...{ name: 'x'.repeat(100), color: '#0e6a56' },
  logo: `data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}`,
};
/** Each of these moves past those before it when the name is composed. */
const COMBINING_NAME = `a${['\u0315', '\u0301', '\u0323', '\u031b'].map((mark) => mark.repeat(249)).join('')}`;

/** What schemas do not say of surveys: campaigns at their limits, what their pages and exports hold, and links of many fields. */
export const LARGE_SURVEYS: WorstInputs = {
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
  [`GET ${RESPONSES}`]: [ofLargeResponses('a page', (place) => get(`${listOf(place)}&per_page=100`, place))],
  [`GET ${CHANGES}`]: [
    ofLargeResponses('a page', (place) => get(`${CHANGES}?limit=1000`, place)),
    ofLargeResponses('a stream', (place) => get(CHANGES, place, 'application/x-ndjson')),
  ],
  [`POST ${RESPONSES}/export`]: ['text/csv', 'application/json', XLSX].flatMap((accept) => [
    ofLargeResponses(accept, (place) => exportOf(place, place.tenant.campaignId, accept)),
    wideExport(accept),
  ]),
  [`POST ${CAMPAIGNS}/{survey_campaign_id}/links/batch`]: [
    input(
      'the most and largest links',
      async (place, size) => {
        const fields = await metadataFields(place, MAX_MAPPING_ITEMS / 4);
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
  'GET /s/{publicId}': [...KINDS.map(pageOf), open('/s/unknown')],
  'GET /s/{publicId}/logo': [open('/s/unknown/logo')],
  'GET /s/{publicId}/qr.svg': [
    input('the picture', async (place) => get(`${await openLink(place, place.tenant.campaignId)}/qr.svg`)),
  ],
  'POST /s/{publicId}/responses': [
    ...KINDS.map((kind) =>
      // The page is shown again with every one of the answers that are wrong.
      form(`the largest wrong answers to the largest campaign ${kind}`, kind, (n) =>
        kind === 'of long titles' ? `q${n + 1}=${'x'.repeat(100)}` : `q1.${n + 1}=1`,
      ),
    ),
    form('as many unknown questions as fit', 'of rankings', (n) => `q${n + 1_000}=1`),
    form('as many values of a question as fit', 'of long titles', () => 'q1=1'),
  ],
  'record survey_campaign': [
    ...KINDS.map((kind) =>
      input(
        `the largest campaign ${kind}`,
        (place, size) => () => records(place, 'survey_campaign', [campaign(LARGEST[kind].questions(size))]),
        LARGEST[kind].size,
      ),
    ),
    input(
      'so many names of combining characters',
      (place, size) => () =>
        records(
          place,
          'survey_campaign',
          each(size, () => ({ ...campaign([]), name: COMBINING_NAME })),
        ),
      950,
    ),
  ],
  'record survey_response': [
    input(
      'all answers to the largest campaign',
      async (place, size) => {
        const id = await storeCampaign(place, 'of rankings');
        return () => records(place, 'survey_response', [response(id, { answers: { 1: ranks(size) } })]);
      },
      LARGEST['of rankings'].size,
    ),
    input(
      'answers to so many of the largest campaigns',
      async (place, size) => {
        const ids: string[] = [];
        while (ids.length < size) ids.push(await storeCampaign(place, 'of long titles'));
        const responses = ids.map((id) => response(id, { answers: { 1: 'x' } }));
        return records(place, 'survey_response', responses);
      },
      100,
    ),
  ],
  'record metadata_field': [
    input(
      'fields that each take the variable of the next one',
      async (place, size) => {
        const field = (id: number, variable: number) => ({ id, name: 'x', variable: `v${variable}` });
        await store(
          place,
          'metadata_field',
          each(size, (id) => field(id, id)),
        );
        return records(
          place,
          'metadata_field',
          each(size - 1, (id) => field(id, id + 1)),
        );
      },
      FIELDS,
    ),
  ],
  'record organization_settings': [
    input(
      'so many logos of as many elements as fit',
      (place, size) =>
        records(
          place,
          'organization_settings',
          each(size, () => ({ brand: BRAND })),
        ),
      75,
    ),
  ],
};

function pageOf(kind: Kind): WorstInput {
  return input(
    `the largest campaign ${kind}`,
    async (place, size) => get(await openLink(place, await storeCampaign(place, kind, size))),
    LARGEST[kind].size,
  );
}

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
      const data = { transaction_id: 'ế'.repeat(Math.floor((MAX_RECORD_BYTES - 2_000) / 3)) };
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
      await metadataFields(place, FIELDS);
      const responses = each(size, () => response(stored.id, { answers: { 1: ranks(options) } }));
      await store(place, 'survey_response', responses, 10);
      return exportOf(place, stored.id, accept);
    },
    40,
  );
}

function exportOf(place: Place, campaignId: string, accept: string): HttpRequest {
  const path = `${RESPONSES}/export?survey_campaign_id=${campaignId}&${WINDOW}`;
  return { ...get(path, place, accept), method: 'POST' };
}

function listOf({ tenant }: Place): string {
  return `${RESPONSES}?survey_campaign_id=${tenant.campaignId}&${WINDOW}`;
}

/** @returns the path of the page that a link of a campaign opens */
async function openLink({ url, tenant }: Place, campaignId: string): Promise<string> {
  const { body } = await send(
    url,
    postJson(`${CAMPAIGNS}/${campaignId}/links`, tenant.caller, { name: 'x' }),
  );
  return `/s/${(body as { public_id: string }).public_id}`;
}

/** @returns its id */
async function storeCampaign(place: Place, kind: Kind, size = LARGEST[kind].size): Promise<string> {
  const stored = campaign(LARGEST[kind].questions(size));
  await store(place, 'survey_campaign', [stored]);
  return stored.id;
}

async function metadataFields(place: Place, count: number): Promise<number[]> {
  const ids = each(count, (n) => n + 1);
  const variable = (id: number) => `variable-${id}-`.padEnd(255, 'x');
  await store(
    place,
    'metadata_field',
    ids.map((id) => ({ id, name: `field ${id}`, variable: variable(id) })),
  );
  return ids;
}

function campaign(survey_questions: readonly object[]) {
  return { id: randomUUID(), name: 'Visit', status: 'active', survey_questions };
}

function response(campaignId: string, data: object): object {
  return { identifier: randomUUID(), survey_campaign_id: campaignId, sent_timestamp: NOON, ...data };
}

function ranking(options: number) {
  return { id: 1, type: 'ranking', title: 'x', option_titles_by_id: titles(options) };
}

function titles(count: number): Record<string, string> {
  return Object.fromEntries(each(count, (n) => [String(n + 1), 'x']));
}

function columns(count: number): string[] {
  return each(count, (n) => `${n}`.padEnd(1_000, '<'));
}

function ranks(options: number): Record<string, number> {
  return Object.fromEntries(each(options, (n) => [String(n + 1), n + 1]));
}
