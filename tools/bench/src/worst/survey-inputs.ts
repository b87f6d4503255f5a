import { randomUUID } from 'node:crypto';
import {
  MAX_BATCH_ITEMS,
  MAX_MAPPING_ITEMS,
  MAX_VALUE_CHARACTERS,
  MAX_VALUE_ITEMS,
} from '@cxp/survey-api/links/link-request';
import {
  AT_LIMIT,
  campaign,
  CAMPAIGNS,
  KINDS,
  storeCampaign,
  titles,
  type CampaignKind,
} from './large-campaigns';
import { LIMITS, QUERY_BYTES } from './limits';
import {
  bodyInput,
  crowdedRecord,
  each,
  get,
  input,
  manyRecords,
  pipelinedInput,
  post,
  records,
  recordsInput,
  repeated,
  store,
  text,
  unknownMembers,
  zeros,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';
import { send } from '@cxp/services/http';

const NOON = '2026-01-05T05:00:00.000Z';
const WINDOW = 'start_date=2026-01-01&end_date=2026-01-31';
/** Of the largest: so many that a page of them is larger than what a request may take. */
const LARGE_ROWS = 24;
const FORM_BYTES = 64 * 1_024 - 200;
const JSON_BODY_BYTES = 4 * 1_024 * 1_024 - 1_000;

/** @returns the path of the page that a link of a campaign opens */
async function openLink(place: Place, campaignId: string): Promise<string> {
  const { body } = await send(place.url, post(linksPath(campaignId), place, { name: 'x' }));
  return `/s/${(body as { public_id: string }).public_id}`;
}

function linksPath(campaignId: string): string {
  return `/external/survey-campaigns/${campaignId}/links`;
}

const ownLinks = ({ tenant }: Place) => linksPath(tenant.campaignId);

function response(campaignId: string, data: object = {}): object {
  return { identifier: randomUUID(), survey_campaign_id: campaignId, sent_timestamp: NOON, ...data };
}

/** So many of the largest responses. */
async function largeResponses(place: Place, count: number): Promise<void> {
  const data = { user_name: text(LIMITS.recordBytes) };
  const responses = each(count, () => response(place.tenant.campaignId, data));
  await store(place, 'survey_response', responses, 10);
}

const withLargeResponses = (what: string, request: (place: Place) => ReturnType<typeof get>): WorstInput =>
  input(
    what,
    async (place, size) => {
      await largeResponses(place, size);
      return request(place);
    },
    LARGE_ROWS,
  );

function ofCampaign({ tenant }: Place, path: string): string {
  return `${path}?survey_campaign_id=${tenant.campaignId}&${WINDOW}`;
}

const EXPORT = '/external/survey-responses/export';

const largeExport = (accept: string): WorstInput =>
  withLargeResponses(`the largest responses as ${accept}`, (place) => ({
    ...get(ofCampaign(place, EXPORT), place, accept),
    method: 'POST',
  }));

/** Every rank of every option: as many columns as a campaign can have. */
const wideExport = (accept: string): WorstInput =>
  campaignExport(`the most columns as ${accept}`, CAMPAIGNS['of rankings'](LIMITS.campaign.options), accept);

/** The longest names of columns that a campaign and metadata fields can have, which JSON repeats. */
const longNamesExport = (accept: string): WorstInput => {
  const { headingCharacters, options } = LIMITS.campaign;
  const title = 'x'.repeat(headingCharacters / options - 50);
  const ranking = { id: 1, type: 'ranking', title, option_titles_by_id: titles(options) };
  return campaignExport(`the longest names of columns as ${accept}`, [ranking], accept);
};

/** So many responses that rank every option of the largest ranking, and have every metadata field. */
function campaignExport(what: string, questions: readonly object[], accept: string): WorstInput {
  return input(
    what,
    async (place, size) => {
      const stored = { id: randomUUID(), name: 'Visit', status: 'active', survey_questions: questions };
      await store(place, 'survey_campaign', [stored]);
      await metadataFields(place, LIMITS.metadataFields);
      const ranks = Object.fromEntries(each(LIMITS.campaign.options, (n) => [String(n + 1), n + 1]));
      const answers = Object.fromEntries(questions.map((_, n) => [n + 1, ranks]));
      const responses = each(size, () => response(stored.id, { answers }));
      await store(place, 'survey_response', responses, 10);
      return { ...get(`${EXPORT}?survey_campaign_id=${stored.id}&${WINDOW}`, place, accept), method: 'POST' };
    },
    40,
  );
}

const page = (kind: CampaignKind): WorstInput =>
  input(
    `the largest campaign ${kind}`,
    async (place, size) => get(await openLink(place, await storeCampaign(place, kind, size))),
    AT_LIMIT[kind],
  );

/** Answers that are wrong: the page is shown again with every one of them. */
const refusedForm = (kind: CampaignKind): WorstInput =>
  filledForm(
    `the largest wrong answers to the largest campaign ${kind}`,
    (n) =>
      kind === 'of texts' || kind === 'of long titles'
        ? `q${n + 1}=${'x'.repeat(100)}`
        : `q${1 + (n % 30)}.${1 + Math.floor(n / 30)}=1`,
    async (place) => openLink(place, await storeCampaign(place, kind, AT_LIMIT[kind])),
  );

function form(path: string, body: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', path: `${path}/responses`, headers, body };
}

/** A form to a campaign that is filled with one kind of field. */
const filledForm = (what: string, field: (n: number) => string, open = ordinaryPage): WorstInput =>
  input(what, async (place) => form(await open(place), repeated(FORM_BYTES, field).replaceAll(',', '&')));

function ordinaryPage(place: Place): Promise<string> {
  return openLink(place, place.tenant.campaignId);
}

const crowdedSubmission: WorstInput = input(
  'JSON of as many values as it may hold',
  async (place, size) => {
    const path = await openLink(place, await storeCampaign(place, 'of rankings', LIMITS.campaign.options));
    const body = JSON.stringify({ identifier: 'x', answers: { 1: zeros(size) } });
    return {
      method: 'POST',
      path: `${path}/responses`,
      headers: { 'content-type': 'application/json' },
      body,
    };
  },
  LIMITS.values,
);

async function metadataFields(place: Place, count = MAX_MAPPING_ITEMS): Promise<number[]> {
  const ids = each(count, (n) => n + 1);
  await store(
    place,
    'metadata_field',
    ids.map((id) => ({ id, name: `field ${id}`, variable: `variable-${id}`.padEnd(255, 'x') })),
  );
  return ids;
}

/** A mapping that takes so many bytes. */
function mappingOf(ids: readonly number[], bytes: number, run: number): object[] {
  const value = [run, ...each(MAX_VALUE_ITEMS - 1, (n) => `${n}`)];
  const room = Math.floor(bytes / ids.length / MAX_VALUE_ITEMS) - 5;
  const long = 'x'.repeat(Math.max(1, Math.min(MAX_VALUE_CHARACTERS, room)));
  return ids.map((metadata_id) => ({ metadata_id, value: value.map((one, n) => (n === 0 ? one : long)) }));
}

const oneResponse = (what: string, data: (size: number) => object, size?: number): WorstInput =>
  recordsInput(what, 'survey_response', (_, { tenant }, at) => [response(tenant.campaignId, data(at))], size);

export const SURVEY_INPUTS: WorstInputs = {
  'GET /external/survey-campaigns': [
    input(
      'a page of the largest campaigns',
      async (place, size) => {
        for (let n = 0; n < size; n++) {
          const kind = KINDS[n % KINDS.length]!;
          await storeCampaign(place, kind, AT_LIMIT[kind]);
        }
        return get('/external/survey-campaigns?per_page=100', place);
      },
      LARGE_ROWS,
    ),
    input('the longest search', (place) =>
      get(`/external/survey-campaigns?search=${'%25'.repeat(QUERY_BYTES / 3)}`, place),
    ),
    input('the longest list of ids', (place) =>
      get(
        `/external/survey-campaigns?survey_campaign_ids=${repeated(QUERY_BYTES, () => randomUUID())}`,
        place,
      ),
    ),
  ],
  'GET /external/survey-responses': [
    withLargeResponses('a page of the largest responses', (place) =>
      get(`${ofCampaign(place, '/external/survey-responses')}&per_page=100`, place),
    ),
  ],
  [`POST ${EXPORT}`]: [
    largeExport('text/csv'),
    largeExport('application/json'),
    largeExport('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    wideExport('text/csv'),
    wideExport('application/json'),
    longNamesExport('application/json'),
    longNamesExport('text/csv'),
    wideExport('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
  ],
  'GET /external/survey-response-changes': [
    withLargeResponses('a page of the largest responses', (place) =>
      get('/external/survey-response-changes?limit=1000', place),
    ),
    withLargeResponses('a stream of the largest responses', (place) =>
      get('/external/survey-response-changes', place, 'application/x-ndjson'),
    ),
  ],
  'GET /external/survey-response-digests': [
    input('ten years', (place) =>
      get('/external/survey-response-digests?start_date=2020-01-01&end_date=2029-12-31', place),
    ),
  ],
  'POST /external/survey-campaigns/{survey_campaign_id}/links': [
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
  'POST /external/survey-campaigns/{survey_campaign_id}/links/batch': [
    input(
      'the most and largest links',
      async (place, size) => {
        const ids = await metadataFields(place);
        const item = (run: number) => ({
          name: 'x',
          metadata_mapping: ids.slice(0, 90).map((metadata_id) => ({ metadata_id, value: `${run}` })),
        });
        return (run) =>
          post(`${ownLinks(place)}/batch`, place, { items: each(size, (n) => item(run * size + n)) });
      },
      Math.min(MAX_BATCH_ITEMS, 350),
    ),
    bodyInput(
      'links of which everything is wrong',
      (place) => `${ownLinks(place)}/batch`,
      () => ({
        items: each(MAX_BATCH_ITEMS, () => ({ metadata_mapping: each(60, () => ({ value: [[]] })) })),
      }),
    ),
  ],
  'GET /s/assets/{name}': [pipelinedInput(2_000, get('/s/assets/survey-page.js'))],
  'GET /s/{publicId}': [
    ...KINDS.map(page),
    pipelinedInput(2_000, get('/s/unknown')),
    input('the longest id', () => get(`/s/${'x'.repeat(QUERY_BYTES)}`)),
  ],
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
    pipelinedInput(2_000, form('/s/unknown', 'x')),
  ],
  'record survey_campaign': KINDS.map((kind) =>
    recordsInput(
      `the largest campaign ${kind}`,
      'survey_campaign',
      (_run, _place, size) => [campaign(kind, size)],
      AT_LIMIT[kind],
    ),
  ),
  'record survey_response': [
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
        const id = await storeCampaign(place, 'of rankings', LIMITS.campaign.options);
        const ranks = Object.fromEntries(each(size, (n) => [String(n + 1), n + 1]));
        const answers = Object.fromEntries(
          CAMPAIGNS['of rankings'](1).map((question) => [question.id, ranks]),
        );
        return () => records(place, 'survey_response', [response(id, { answers })]);
      },
      LIMITS.campaign.options,
    ),
    manyRecords('survey_response', (_run, _n, { tenant }) => response(tenant.campaignId)),
  ],
  'record metadata_field': [
    input(
      'fields that each take the variable of the next one',
      async (place, size) => {
        const fields = each(size, (id) => ({ id, name: 'x', variable: `v${id}` }));
        await store(place, 'metadata_field', fields);
        return records(
          place,
          'metadata_field',
          fields.slice(0, -1).map(({ id }) => ({ id, name: 'x', variable: `v${id + 1}` })),
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
  'record organization_settings': [crowdedRecord('organization_settings', () => ({}))],
};
