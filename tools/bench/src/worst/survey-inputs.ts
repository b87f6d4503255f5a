import { randomUUID } from 'node:crypto';
import { send } from '@cxp/services/http';
import {
  MAX_BATCH_ITEMS,
  MAX_MAPPING_ITEMS,
  MAX_VALUE_CHARACTERS,
  MAX_VALUE_ITEMS,
} from '@cxp/survey-api/links/link.schema';
import { campaign, CAMPAIGNS, KINDS, storeCampaign, titles, type CampaignKind } from './large-campaigns';
import { LIMITS, QUERY_BYTES } from './limits';
import {
  bodyInput,
  crowdedRecord,
  each,
  get,
  input,
  manyRecords,
  post,
  records,
  recordsInput,
  repeated,
  store,
  text,
  unknownMembers,
  unread,
  zeros,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const NOON = '2026-01-05T05:00:00.000Z';
const WINDOW = 'start_date=2026-01-01&end_date=2026-01-31';
/** Of the largest: so many that a page of them is larger than what a request may take. */
const LARGE_ROWS = 24;
const FORM_BYTES = 64 * 1_024 - 200;
const JSON_BODY_BYTES = 4 * 1_024 * 1_024 - 1_000;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const CAMPAIGN_PATH = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';
const EXPORT = `${RESPONSES}/export`;
const CHANGES = '/external/survey-response-changes';
const LINKS = `POST ${CAMPAIGN_PATH}/{survey_campaign_id}/links`;

const linksPath = (campaignId: string) => `${CAMPAIGN_PATH}/${campaignId}/links`;
const ownLinks = ({ tenant }: Place) => linksPath(tenant.campaignId);
const ownBatch = (place: Place) => `${ownLinks(place)}/batch`;

/** @returns the path of the page that a link of a campaign opens */
async function openLink(place: Place, campaignId: string): Promise<string> {
  const { body } = await send(place.url, post(linksPath(campaignId), place, { name: 'x' }));
  return `/s/${(body as { public_id: string }).public_id}`;
}

const qrCode = input('the picture', async (place) => get(`${await ordinaryPage(place)}/qr.svg`));

const LARGEST_LOGO = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(4_980)}</svg>`;
const LARGEST_BRAND = {
  name: 'x'.repeat(100),
  color: '#0e6a56',
  logo: `data:image/svg+xml;base64,${Buffer.from(LARGEST_LOGO).toString('base64')}`,
};

/** Each of these moves past those before it when the name is composed. */
const COMBINING_NAME = `a${['\u0315', '\u0301', '\u0323', '\u031b'].map((mark) => mark.repeat(249)).join('')}`;

const ordinaryPage = (place: Place) => openLink(place, place.tenant.campaignId);

function response(campaignId: string, data: object = {}): object {
  return { identifier: randomUUID(), survey_campaign_id: campaignId, sent_timestamp: NOON, ...data };
}

const ofCampaign = (path: string, id: string) => `${path}?survey_campaign_id=${id}&${WINDOW}`;

/** A call when there are so many of the largest responses. */
const withLargeResponses = (what: string, request: (place: Place) => ReturnType<typeof get>): WorstInput =>
  input(
    what,
    async (place, size) => {
      const data = { user_name: text(LIMITS.recordBytes) };
      const responses = each(size, () => response(place.tenant.campaignId, data));
      await store(place, 'survey_response', responses, 10);
      return request(place);
    },
    LARGE_ROWS,
  );

function exportOf(campaignId: string, place: Place, accept: string) {
  return { ...get(ofCampaign(EXPORT, campaignId), place, accept), method: 'POST' };
}

const largeExport = (accept: string): WorstInput =>
  withLargeResponses(`the largest responses as ${accept}`, (place) =>
    exportOf(place.tenant.campaignId, place, accept),
  );

/** Every rank of every option: as many columns as a campaign can have. */
const wideExport = (accept: string): WorstInput =>
  campaignExport(
    `the most columns as ${accept}`,
    CAMPAIGNS['of rankings'].questions(LIMITS.campaign.controls),
    accept,
  );

/** The longest names of columns that a campaign and metadata fields can have, which JSON repeats. */
const longNamesExport = (accept: string): WorstInput => {
  const { headingCharacters, controls: options } = LIMITS.campaign;
  const title = 'x'.repeat(headingCharacters / options - 50);
  const ranking = { id: 1, type: 'ranking', title, option_titles_by_id: titles(options) };
  return campaignExport(`the longest names of columns as ${accept}`, [ranking], accept);
};

/** So many responses that rank every option of the largest ranking, and have every metadata field. */
function campaignExport(what: string, questions: readonly object[], accept: string): WorstInput {
  return input(
    what,
    async (place, size) => {
      const stored = campaign(questions);
      await store(place, 'survey_campaign', [stored]);
      await metadataFields(place, LIMITS.metadataFields);
      const ranks = ranksOf(LIMITS.campaign.controls);
      const answers = Object.fromEntries(questions.map((_, n) => [n + 1, ranks]));
      const responses = each(size, () => response(stored.id, { answers }));
      await store(place, 'survey_response', responses, 10);
      return exportOf(stored.id, place, accept);
    },
    40,
  );
}

function ranksOf(options: number) {
  return Object.fromEntries(each(options, (n) => [String(n + 1), n + 1]));
}

const page = (kind: CampaignKind): WorstInput =>
  input(
    `the largest campaign ${kind}`,
    async (place, size) => get(await openLink(place, await storeCampaign(place, kind, size))),
    CAMPAIGNS[kind].atLimit,
  );

function submission(path: string, type: string, body: string) {
  const headers = { 'content-type': `application/${type}` };
  return { method: 'POST', path: `${path}/responses`, headers, body };
}

/** A form to a page that is filled with one kind of field. */
const filledForm = (what: string, field: (n: number) => string, open = ordinaryPage): WorstInput =>
  input(what, async (place) => {
    const body = repeated(FORM_BYTES, field).replaceAll(',', '&');
    return submission(await open(place), 'x-www-form-urlencoded', body);
  });

/** Answers that are wrong: the page is shown again with every one of them. */
const refusedForm = (kind: CampaignKind): WorstInput =>
  filledForm(
    `the largest wrong answers to the largest campaign ${kind}`,
    (n) =>
      kind === 'of texts' || kind === 'of long titles'
        ? `q${n + 1}=${'x'.repeat(100)}`
        : `q${1 + (n % 30)}.${1 + Math.floor(n / 30)}=1`,
    async (place) => openLink(place, await storeCampaign(place, kind)),
  );

const crowdedSubmission: WorstInput = input(
  'JSON of as many values as it may hold',
  async (place, size) => {
    const path = await openLink(place, await storeCampaign(place, 'of rankings'));
    return submission(path, 'json', JSON.stringify({ identifier: 'x', answers: { 1: zeros(size) } }));
  },
  LIMITS.values,
);

async function metadataFields(place: Place, count = MAX_MAPPING_ITEMS): Promise<number[]> {
  const ids = each(count, (n) => n + 1);
  const fields = ids.map((id) => ({
    id,
    name: `field ${id}`,
    variable: `variable-${id}`.padEnd(255, 'x'),
  }));
  await store(place, 'metadata_field', fields);
  return ids;
}

/** A mapping that takes so many bytes. */
function mappingOf(ids: readonly number[], bytes: number, run: number): object[] {
  const room = Math.floor(bytes / ids.length / MAX_VALUE_ITEMS) - 5;
  const long = 'x'.repeat(Math.max(1, Math.min(MAX_VALUE_CHARACTERS, room)));
  const value = [run, ...each(MAX_VALUE_ITEMS - 1, () => long)];
  return ids.map((metadata_id) => ({ metadata_id, value }));
}

const oneResponse = (what: string, data: (size: number) => object, size?: number): WorstInput =>
  recordsInput(what, 'survey_response', (_, { tenant }, at) => [response(tenant.campaignId, data(at))], size);

export const SURVEY_INPUTS: WorstInputs = {
  [`GET ${CAMPAIGN_PATH}`]: [
    input(
      'a page of the largest campaigns',
      async (place, size) => {
        for (let n = 0; n < size; n++) await storeCampaign(place, KINDS[n % KINDS.length]!);
        return get(`${CAMPAIGN_PATH}?per_page=100`, place);
      },
      LARGE_ROWS,
    ),
    input('the longest search', (place) =>
      get(`${CAMPAIGN_PATH}?search=${'%25'.repeat(QUERY_BYTES / 3)}`, place),
    ),
    input('the longest list of ids', (place) =>
      get(`${CAMPAIGN_PATH}?survey_campaign_ids=${repeated(QUERY_BYTES, () => randomUUID())}`, place),
    ),
  ],
  [`GET ${RESPONSES}`]: [
    withLargeResponses('a page of the largest responses', (place) =>
      get(`${ofCampaign(RESPONSES, place.tenant.campaignId)}&per_page=100`, place),
    ),
  ],
  [`POST ${EXPORT}`]: [
    ...['text/csv', 'application/json', XLSX].flatMap((accept) => [largeExport(accept), wideExport(accept)]),
    longNamesExport('application/json'),
    longNamesExport('text/csv'),
  ],
  [`GET ${CHANGES}`]: [
    withLargeResponses('a page of the largest responses', (place) => get(`${CHANGES}?limit=1000`, place)),
    withLargeResponses('a stream of the largest responses', (place) =>
      get(CHANGES, place, 'application/x-ndjson'),
    ),
  ],
  'GET /external/survey-response-digests': [
    input('ten years', (place) =>
      get('/external/survey-response-digests?start_date=2020-01-01&end_date=2029-12-31', place),
    ),
  ],
  [LINKS]: [
    bodyInput(
      'as many unknown members as it may hold',
      ownLinks,
      (_run, _place, size) => ({ name: 'x', ...unknownMembers(size) }),
      LIMITS.linkValues,
    ),
    input(
      'the largest mapping',
      async (place, size) => {
        const ids = await metadataFields(place);
        return (run) =>
          post(ownLinks(place), place, { name: 'x', metadata_mapping: mappingOf(ids, size, run) });
      },
      JSON_BODY_BYTES,
    ),
    bodyInput('a mapping of which everything is wrong', ownLinks, () => {
      const value = each(LIMITS.linkValues / MAX_MAPPING_ITEMS - 10, () => []);
      return { metadata_mapping: each(MAX_MAPPING_ITEMS, () => ({ value })) };
    }),
  ],
  [`${LINKS}/batch`]: [
    input(
      'the most and largest links',
      async (place, size) => {
        const ids = (await metadataFields(place)).slice(0, 90);
        const item = (value: string) => ({
          name: 'x',
          metadata_mapping: ids.map((metadata_id) => ({ metadata_id, value })),
        });
        return (run) => post(ownBatch(place), place, { items: each(size, (n) => item(`${run * size + n}`)) });
      },
      Math.min(MAX_BATCH_ITEMS, 350),
    ),
    bodyInput('links of which everything is wrong', ownBatch, () => ({
      items: each(MAX_BATCH_ITEMS, () => ({ metadata_mapping: each(60, () => ({ value: [[]] })) })),
    })),
  ],
  'GET /s/assets/{name}': [unread(get('/s/assets/survey-page.js'))],
  'GET /s/{publicId}': [
    ...KINDS.map(page),
    unread(get('/s/unknown')),
    input('the longest id', () => get(`/s/${'x'.repeat(QUERY_BYTES)}`)),
  ],
  'GET /s/{publicId}/logo': [unread(get('/s/unknown/logo'))],
  'GET /s/{publicId}/qr.svg': [qrCode],
  'POST /s/{publicId}/responses': [
    ...KINDS.map(refusedForm),
    crowdedSubmission,
    filledForm('as many unknown questions as fit', (n) => `q${n + 1_000}=1`),
    filledForm(
      'as many unknown rows as fit',
      (n) => `q1.${n + 1_000}=1`,
      async (place) => openLink(place, await storeCampaign(place, 'of matrices', 1)),
    ),
    filledForm('as many values of a question as fit', () => 'q1=1'),
    filledForm('as many fields as fit', (n) => n.toString(36)),
    unread(submission('/s/unknown', 'x-www-form-urlencoded', 'x')),
  ],
  'record survey_campaign': [
    ...KINDS.map((kind) =>
      recordsInput(
        `the largest campaign ${kind}`,
        'survey_campaign',
        (_run, _place, size) => [campaign(CAMPAIGNS[kind].questions(size))],
        CAMPAIGNS[kind].atLimit,
      ),
    ),
    recordsInput(
      'so many names of combining characters',
      'survey_campaign',
      (_run, _place, size) => each(size, () => ({ ...campaign([]), name: COMBINING_NAME })),
      950,
    ),
  ],
  'record survey_response': [
    input(
      'answers to so many of the largest campaigns',
      async (place, size) => {
        const ids: string[] = [];
        while (ids.length < size) ids.push(await storeCampaign(place, 'of texts'));
        return records(
          place,
          'survey_response',
          ids.map((id) => response(id, { answers: { 1: 'x' } })),
        );
      },
      100,
    ),
    oneResponse('the longest text', () => ({ user_name: text(LIMITS.recordBytes) })),
    oneResponse(
      'as many metadata values as it may hold',
      (size) => ({ metadata_mappings: unknownMembers(size) }),
      LIMITS.values,
    ),
    oneResponse('as many wrong values as it may hold', (size) => ({ tags: zeros(size) }), LIMITS.values),
    input(
      'all answers to the largest campaign',
      async (place, size) => {
        const id = await storeCampaign(place, 'of rankings');
        const questions = CAMPAIGNS['of rankings'].questions(1);
        const answers = Object.fromEntries(questions.map((question) => [question.id, ranksOf(size)]));
        return () => records(place, 'survey_response', [response(id, { answers })]);
      },
      LIMITS.campaign.controls,
    ),
    manyRecords('survey_response', (_run, _n, { tenant }) => response(tenant.campaignId)),
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
      LIMITS.metadataFields,
    ),
    recordsInput('the longest name', 'metadata_field', (run) => [
      { id: run, name: text(LIMITS.recordBytes), variable: `v${run}` },
    ]),
    manyRecords('metadata_field', (run, n) => {
      const id = n % LIMITS.metadataFields;
      return { id, name: `${run}`, variable: `v-${id}` };
    }),
  ],
  'record organization_settings': [
    crowdedRecord('organization_settings', () => ({})),
    recordsInput('a logo of as many elements as fit', 'organization_settings', () => [
      { brand: LARGEST_BRAND },
    ]),
    recordsInput(
      'so many logos',
      'organization_settings',
      (_run, _place, size) => each(size, () => ({ brand: LARGEST_BRAND })),
      75,
    ),
  ],
};
