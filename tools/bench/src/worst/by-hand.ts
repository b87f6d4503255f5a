import { randomUUID } from 'node:crypto';
import { MAX_RECORD_BYTES, MAX_TITLE_CHARACTERS, surveyRecordTypes } from '@cxp/platform-records';
import { MAX_RECORDS } from '@cxp/record-intake';
import { send, type HttpRequest } from '@cxp/services/http';
import { NOON } from '@cxp/services/tenants';
import { postJson, postRecords, record } from '@cxp/services/workloads';
import { MAX_MAPPING_ITEMS } from '@cxp/survey-api/links/link.dto';
import { CAMPAIGN_LIMITS, MAX_METADATA_FIELDS } from '@cxp/survey-api/records/survey-records';
import { MAX_MESSAGE_CHARACTERS } from '@cxp/webchat-gateway/chat-protocol/shapes';
import {
  answerTo,
  each,
  get,
  input,
  readUntil,
  records,
  socketOf,
  store,
  type Place,
  type WorstInput,
} from './worst-input';

const NDJSON = 'application/x-ndjson';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** The longest text of a record, in characters of three bytes. */
const LONG_TEXT = 'ế'.repeat(Math.floor((MAX_RECORD_BYTES - 2_000) / 3));

const HISTORY_MESSAGES = 300;

/** What schemas do not say of webchat: long histories and messages. */
const WEBCHAT: readonly WorstInput[] = [
  input('GET /external/conversations/{conversationId}/events: 100 of the longest messages', async (place) => {
    await storeHistory(place);
    const { conversationId, sessionToken } = place.tenant;
    const path = `/external/conversations/${conversationId}/events?limit=100`;
    return { method: 'GET', path, headers: { authorization: `Bearer ${sessionToken}` } };
  }),
  input(
    'POST /internal/conversations/{conversationId}/messages: the longest message',
    (place) => () => longestMessage(place),
  ),
  {
    name: `socket that resumes: ${HISTORY_MESSAGES} of the longest messages`,
    prepare: async (place) => {
      await storeHistory(place);
      return (url) => readUntil(socketOf(url, place, '?lastEvent=0'), `"event":${HISTORY_MESSAGES + 1},`);
    },
  },
];

async function storeHistory(place: Place): Promise<void> {
  for (let n = 0; n < HISTORY_MESSAGES; n++) await answerTo(place.url, longestMessage(place));
}

function longestMessage({ tenant }: Place): HttpRequest {
  const longest = { senderName: '😀'.repeat(255), text: '😀'.repeat(MAX_MESSAGE_CHARACTERS) };
  const message = { id: randomUUID(), senderType: 'agent', ...longest };
  return postJson(`/internal/conversations/${tenant.conversationId}/messages`, tenant.caller, message);
}

const SESSIONS = '/external/conversation-sessions';
const CONVERSATION_CHANGES = '/external/conversation-session-changes';
const LIST = `${SESSIONS}?startDate=2020-01-01&endDate=2029-12-31&perPage=100`;
/** Records of a conversation, with room for those that an input adds. */
const CONVERSATION_RECORDS = 9_980;
/** Tickets of the largest size that a conversation may hold. */
const LARGE_TICKETS = 60;
const TIMEZONES = Intl.supportedValuesOf('timeZone');

/** What schemas do not say of conversations: many records of one, large rows, spans of years. */
const CONTACT_CENTER: readonly WorstInput[] = [
  ...[
    { what: `GET ${SESSIONS}: a page`, path: LIST },
    { what: `GET ${SESSIONS}: a stream`, path: LIST, accept: NDJSON },
    { what: `GET ${CONVERSATION_CHANGES}: a stream`, path: CONVERSATION_CHANGES, accept: NDJSON },
  ].map(({ what, path, accept }) =>
    input(
      `${what} of the largest rows`,
      async (place, size) => {
        await storeLargeRows(place, size);
        return get(path, place, accept);
      },
      100,
    ),
  ),
  ...['', '/explanation'].map((part) =>
    input(
      `GET ${SESSIONS}/{conversationId}${part}: the most rows`,
      async (place, size) => {
        await storeConversation(place, size);
        return get(`${SESSIONS}/long${part}`, place);
      },
      CONVERSATION_RECORDS,
    ),
  ),
  input(`GET ${SESSIONS}: business hours of ten years, in another timezone each time`, longSpans),
  input(
    'record activity: one more of the longest conversation',
    async (place, size) => {
      await storeConversation(place, size);
      return (run) => records(place, 'activity', [activity('long', 30_001 + 2 * run)]);
    },
    CONVERSATION_RECORDS,
  ),
  input(
    'record activity: a whole conversation in one body',
    ({ tenant }, size) =>
      (run) =>
        postRecords(tenant.caller, [
          record('conversation', conversation(`whole-${run}`)),
          ...each(size, (n) => record('activity', activity(`whole-${run}`, n))),
        ]),
    Math.min(CONVERSATION_RECORDS, MAX_RECORDS - 1),
  ),
];

/** A conversation of so many records, of which every other one makes a session. */
async function storeConversation(place: Place, size: number): Promise<void> {
  const numbers = each(size / 2, (n) => 2 * n);
  await store(place, 'conversation', [conversation('long')]);
  await store(
    place,
    'activity',
    numbers.map((n) => activity('long', n)),
  );
  await store(
    place,
    'message',
    numbers.map((n) => message('long', at(n + 1))),
  );
}

/** So many rows with the largest tickets, in as many conversations as they need. */
async function storeLargeRows(place: Place, size: number): Promise<void> {
  for (let first = 0; first < size; first += LARGE_TICKETS) {
    const id = `large-${first}`;
    await store(place, 'conversation', [conversation(id)]);
    const tickets = each(Math.min(LARGE_TICKETS, size - first), (n) => ticket(id, first + n, LONG_TEXT));
    await store(place, 'ticket', tickets);
  }
}

/** Rows whose spans are ten years long, each time in a timezone that was not asked for before. */
async function longSpans(place: Place) {
  const [start, end] = ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'];
  const times = { createdAt: start, updatedAt: end, closedAt: end };
  const ids = each(100, (n) => `span-${n}`);
  const all = {
    human_schedule: [fullSchedule()],
    conversation: ids.map((id) => conversation(id, times)),
    activity: ids.map((id) => activity(id, 0, start)),
    message: ids.map((id) => message(id, end)),
  };
  for (const [type, data] of Object.entries(all)) await store(place, type, data);
  return (run: number) => get(`${LIST}&timezone=${TIMEZONES[(run * 37) % TIMEZONES.length]!}`, place);
}

function fullSchedule(): object {
  const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
  const interval = (n: number) => ({ start: time((n * 7) % 1_380), end: time(((n * 7) % 1_380) + 6) });
  const date = (n: number) => at((n - 500) * 86_400).slice(0, 10);
  return {
    weekly: each(200, (n) => ({ weekday: 1 + (n % 7), ...interval(n) })),
    exceptions: each(1_000, (n) => ({ date: date(n), intervals: [interval(n)] })),
  };
}

function conversation(id: string, data: object = {}): object {
  return { id, createdAt: at(0), updatedAt: at(20_000), closedAt: at(20_000), ...data };
}

/** By one of two agents, of which each takes over from the other one: a session each time. */
function activity(conversationId: string, n: number, occurredAt = at(n)): object {
  const accountId = 1 + (Math.floor(n / 2) % 2);
  const agent = { accountId, email: `agent-${accountId}@example.com`, name: 'Agent' };
  return { id: `${conversationId}-${n}`, conversationId, action: 'assign', occurredAt, agent };
}

function message(conversationId: string, sentAt: string): object {
  return { id: `${conversationId}-${sentAt}`, conversationId, senderType: 'agent', sentAt };
}

function ticket(conversationId: string, id: number, description: string): object {
  const times = { createdAt: at(id), updatedAt: at(id), assignedAt: at(id) };
  return { id, conversationId, assigneeAccountId: 1, ...times, description };
}

function at(second: number): string {
  return new Date(Date.parse(NOON) + second * 1_000).toISOString();
}

const CAMPAIGNS = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';
const RESPONSE_CHANGES = '/external/survey-response-changes';
const JANUARY = 'start_date=2026-01-01&end_date=2026-01-31';
const FORM_BYTES = 64 * 1_024 - 200;
/** Metadata fields, with room for those that a tenant has. */
const FIELDS = MAX_METADATA_FIELDS - 10;
const LARGE_ROWS = 24;

/** The largest campaigns: by options, by cells, and by text, of which pages have to escape `<`. With answers that are wrong. */
const LARGEST = {
  'of rankings': {
    size: CAMPAIGN_LIMITS.controls,
    questions: (size: number): object[] => [ranking(size)],
    wrong: (n: number) => `q1.${n + 1}=1`,
  },
  'of matrices': {
    size: CAMPAIGN_LIMITS.controls / 50,
    questions: (size: number): object[] => {
      const column_titles = each(50, (n) => `${n}`.padEnd(1_000, '<'));
      return [
        { id: 1, type: 'matrix', title: 'x', row_titles_by_id: numbered(size, () => 'x'), column_titles },
      ];
    },
    wrong: (n: number) => `q1.${n + 1}=1`,
  },
  'of long titles': {
    size: Math.floor((surveyRecordTypes.survey_campaign.maxBytes - 2_000) / (MAX_TITLE_CHARACTERS + 100)),
    questions: (size: number): object[] =>
      each(size, (n) => ({ id: n + 1, type: 'text', title: '<'.repeat(MAX_TITLE_CHARACTERS) })),
    wrong: (n: number) => `q${n + 1}=${'x'.repeat(100)}`,
  },
};
type Kind = keyof typeof LARGEST;
const KINDS = Object.keys(LARGEST) as Kind[];

/** What schemas do not say of surveys: campaigns at their limits, what their pages and exports hold, links of many fields. */
const SURVEY: readonly WorstInput[] = [
  input(
    `GET ${CAMPAIGNS}: a page of the largest campaigns`,
    async (place, size) => {
      for (let n = 0; n < size; n++) await storeCampaign(place, KINDS[n % KINDS.length]!);
      return get(`${CAMPAIGNS}?per_page=100`, place);
    },
    LARGE_ROWS,
  ),
  ofLargeResponses(`GET ${RESPONSES}: a page`, (place) => {
    const campaign = `survey_campaign_id=${place.tenant.campaignId}`;
    return get(`${RESPONSES}?${campaign}&${JANUARY}&per_page=100`, place);
  }),
  ofLargeResponses(`GET ${RESPONSE_CHANGES}: a stream`, (place) => get(RESPONSE_CHANGES, place, NDJSON)),
  ...['text/csv', 'application/json', XLSX].map(wideExport),
  input(
    `POST ${CAMPAIGNS}/{survey_campaign_id}/links: the most fields, with the longest names and lists of many values`,
    async (place, size) => {
      const fields = await storeFields(place, size);
      const path = `${CAMPAIGNS}/${place.tenant.campaignId}/links`;
      return (run) => {
        const value = each(480, (n) => `${run}-${n}`.padEnd(38, 'x'));
        const metadata_mapping = fields.map((metadata_id) => ({ metadata_id, value }));
        return postJson(path, place.tenant.caller, { name: 'x', metadata_mapping });
      };
    },
    MAX_MAPPING_ITEMS,
  ),
  ...KINDS.flatMap((kind) => [
    input(
      `GET /s/{publicId}: the largest campaign ${kind}`,
      async (place, size) => get(await openLink(place, await storeCampaign(place, kind, size)), place),
      LARGEST[kind].size,
    ),
    // The page is shown again with every one of the answers that are wrong.
    form(`the largest wrong answers to the largest campaign ${kind}`, kind, LARGEST[kind].wrong),
    input(
      `record survey_campaign: the largest campaign ${kind}`,
      (place, size) => () => records(place, 'survey_campaign', [campaign(LARGEST[kind].questions(size))]),
      LARGEST[kind].size,
    ),
  ]),
  form('as many unknown questions as fit', 'of rankings', (n) => `q${n + 1_000}=1`),
  input(
    'record survey_response: all answers to the largest campaign',
    async (place, size) => {
      const id = await storeCampaign(place, 'of rankings');
      return () => records(place, 'survey_response', [response(id, { answers: { 1: ranks(size) } })]);
    },
    LARGEST['of rankings'].size,
  ),
];

/** A form to the page of a campaign that is filled with one kind of field. */
function form(what: string, kind: Kind, field: (n: number) => string): WorstInput {
  return input(`POST /s/{publicId}/responses: ${what}`, async (place) => {
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
    `POST ${RESPONSES}/export: the most columns as ${accept}`,
    async (place, size) => {
      const stored = campaign([{ ...ranking(options), title }]);
      await store(place, 'survey_campaign', [stored]);
      await storeFields(place, FIELDS);
      const responses = each(size, () => response(stored.id, { answers: { 1: ranks(options) } }));
      await store(place, 'survey_response', responses, 10);
      const path = `${RESPONSES}/export?survey_campaign_id=${stored.id}&${JANUARY}`;
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
  const longest = (id: number) => String(id) + '😀'.repeat(255 - String(id).length);
  const fields = ids.map((id) => ({ id, name: longest(id), variable: longest(id) }));
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

/** In the order of the services. */
export const BY_HAND: readonly (readonly WorstInput[])[] = [WEBCHAT, CONTACT_CENTER, SURVEY];
