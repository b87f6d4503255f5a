import { randomUUID } from 'node:crypto';
import type { Area } from './rows';

/** A call at its largest legal input, or one whose refusal costs most. */
export interface PricedCall {
  /** As the OpenAPI document writes the route, and what makes this call of it dear. */
  readonly route: string;
  readonly what?: string;
  readonly area: Area;
  /** Another one each time where the second one would cost less. */
  readonly request: () => CallRequest;
  /** Default 200. */
  readonly status?: number;
  /** Of calls that the platform makes: no organization has a limit of them. */
  readonly isPlatform?: boolean;
}

export interface CallRequest {
  /** Default: that of the route. */
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a token. */
  readonly isPublic?: boolean;
}

/** What the stored data is called. */
export interface StoredIds {
  readonly conversationId: string;
  readonly sessionId: string;
  readonly sessionToken: string;
  readonly publicId: string;
}

export const CAMPAIGN_ID = '00000000-0000-4000-8000-000000000001';
export const LARGEST_CONVERSATION = 'largest';
export const ERASURE_ID = '00000000-0000-4000-8000-00000000e1a5';
export const ENDPOINT_ID = '00000000-0000-4000-8000-00000000e4d0';
const KIB = 1_024;
const YEAR = 'startDate=2026-01-01&endDate=2026-12-31';
const OF_CAMPAIGN = `survey_campaign_id=${CAMPAIGN_ID}&start_date=2026-01-01&end_date=2026-12-31`;
const NDJSON = 'application/x-ndjson';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PARQUET = 'application/vnd.apache.parquet';
const SESSIONS = '/external/conversation-sessions';
const CAMPAIGNS = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';

export function pricedCalls({ conversationId, sessionId, sessionToken, publicId }: StoredIds): PricedCall[] {
  const events = `/external/conversations/${conversationId}/events`;
  const internal = `/internal/conversations/${conversationId}`;
  const platform = { area: 'webchat', isPlatform: true } as const;
  const ofB = { area: 'contactCenter' } as const;
  const ofC = { area: 'survey' } as const;
  return [
    {
      ...{ route: 'POST /external/sessions', area: 'webchat', status: 201 },
      request: () => json('/external/sessions', { ...newSession(), user: largestUser() }),
    },
    {
      ...{ route: 'POST /external/sessions', what: 'and 60 KiB that nobody asks for', area: 'webchat' },
      status: 422,
      request: () => json('/external/sessions', { ...newSession(), more: values(60 * KIB) }),
    },
    {
      ...{ route: 'POST /external/sessions', what: '60 KiB of a wrong shape', area: 'webchat', status: 422 },
      request: () =>
        json('/external/sessions', { ...newSession(), user: Array.from({ length: 190 }, (_, n) => ({ n })) }),
    },
    {
      ...{ route: 'POST /external/sessions/refresh', area: 'webchat' },
      request: () => json('/external/sessions/refresh', { sessionId }),
    },
    {
      ...{ route: 'GET /external/conversations/{conversationId}/events', area: 'webchat' },
      request: () => ({ path: events, headers: { authorization: `Bearer ${sessionToken}` } }),
    },
    {
      ...platform,
      route: 'GET /internal/conversations/{conversationId}/events',
      request: () => ({ path: `${internal}/events` }),
    },
    {
      ...{ ...platform, route: 'POST /internal/conversations/{conversationId}/messages' },
      request: () =>
        json(`${internal}/messages`, { id: randomUUID(), senderType: 'agent', text: 'ế'.repeat(4_000) }),
    },
    {
      ...{ ...platform, route: 'POST /internal/conversations/{conversationId}/activities' },
      request: () =>
        json(`${internal}/activities`, { id: randomUUID(), action: 'assign', agent: { accountId: 1 } }),
    },
    {
      ...{ ...platform, route: 'POST /internal/conversations/{conversationId}/typing', status: 204 },
      request: () => json(`${internal}/typing`, { senderType: 'agent', active: true }),
    },
    {
      ...{ ...platform, route: 'POST /internal/conversations/{conversationId}/read', status: 204 },
      request: () => json(`${internal}/read`, { upTo: 1 }),
    },
    ...erasures('webchat'),
    intake('webchat', () => ({ type: 'installed_source', data: { id: turn(), name: 'ế'.repeat(250) } })),

    { ...ofB, route: `GET ${SESSIONS}`, request: () => ({ path: `${SESSIONS}?${YEAR}&perPage=100` }) },
    ...[NDJSON, 'text/csv', XLSX, PARQUET].map((accept) => ({
      ...{ ...ofB, route: `GET ${SESSIONS}`, what: `as ${accept.split(/[./]/).at(-1)!}` },
      request: () => ({ path: `${SESSIONS}?${YEAR}`, headers: { accept } }),
    })),
    {
      ...{ ...ofB, route: `GET ${SESSIONS}`, what: 'with all filters, 15 KiB of a query' },
      request: () => ({
        path: `${SESSIONS}?${YEAR}&sessionAgentEmails=${Array.from({ length: 700 }, (_, n) => `agent-${n}@example.com`).join()}`,
      }),
    },
    {
      ...{ ...ofB, route: `GET ${SESSIONS}/{conversationId}`, what: '9,900 rows' },
      request: () => ({ path: `${SESSIONS}/${LARGEST_CONVERSATION}` }),
    },
    {
      ...{ ...ofB, route: `GET ${SESSIONS}/{conversationId}/explanation`, what: '100 rows of 170 years' },
      request: () => ({ path: `${SESSIONS}/${LARGEST_CONVERSATION}/explanation` }),
    },
    {
      ...{ ...ofB, route: `POST ${SESSIONS}/{conversationId}/explanation`, what: '100 rows of 170 years' },
      request: () =>
        json(`${SESSIONS}/${LARGEST_CONVERSATION}/explanation`, { humanSchedule: largestSchedule() }),
    },
    {
      ...{ ...ofB, route: 'GET /external/conversation-session-changes' },
      request: () => ({ path: '/external/conversation-session-changes?limit=1000' }),
    },
    {
      ...{ ...ofB, route: 'GET /external/conversation-session-changes', what: 'all, as NDJSON' },
      request: () => ({ path: '/external/conversation-session-changes', headers: { accept: NDJSON } }),
    },
    {
      ...{ ...ofB, route: 'GET /external/conversation-session-digests' },
      request: () => ({
        path: '/external/conversation-session-digests?startDate=1900-01-01&endDate=2099-12-31',
      }),
    },
    ...erasures('contactCenter'),
    ...endpoints('contactCenter'),
    intake('contactCenter', () => {
      const id = randomUUID();
      return {
        type: 'conversation',
        data: { id, createdAt: at(0), updatedAt: at(0), customer: largestUser() },
      };
    }),
    {
      ...{
        ...ofB,
        route: 'POST /internal/records',
        what: '10,000 wrong lines',
        status: 422,
        isPlatform: true,
      },
      request: () => lines(Array.from({ length: 10_000 }, () => ({ type: 'message', data: { id: 1 } }))),
    },

    { ...ofC, route: `GET ${CAMPAIGNS}`, request: () => ({ path: `${CAMPAIGNS}?per_page=100` }) },
    {
      ...{ ...ofC, route: `GET ${CAMPAIGNS}`, what: 'by a name in 15 KiB' },
      request: () => ({ path: `${CAMPAIGNS}?per_page=100&name=${'a'.repeat(15 * KIB)}` }),
    },
    {
      ...{ ...ofC, route: `GET ${RESPONSES}` },
      request: () => ({ path: `${RESPONSES}?${OF_CAMPAIGN}&per_page=100` }),
    },
    ...['text/csv', XLSX].map((accept) => ({
      ...{ ...ofC, route: `POST ${RESPONSES}/export`, what: `as ${accept.split(/[./]/).at(-1)!}` },
      request: () => ({ path: `${RESPONSES}/export?${OF_CAMPAIGN}`, headers: { accept } }),
    })),
    {
      ...{ ...ofC, route: 'GET /external/survey-response-changes' },
      request: () => ({ path: '/external/survey-response-changes?limit=1000' }),
    },
    {
      ...{ ...ofC, route: 'GET /external/survey-response-digests' },
      request: () => ({
        path: `/external/survey-response-digests?survey_campaign_id=${CAMPAIGN_ID}&start_date=1900-01-01&end_date=2099-12-31`,
      }),
    },
    {
      ...{ ...ofC, route: `POST ${CAMPAIGNS}/{survey_campaign_id}/links` },
      request: () =>
        json(`${CAMPAIGNS}/${CAMPAIGN_ID}/links`, {
          name: randomUUID(),
          metadata_mapping: Array.from({ length: 200 }, (_, n) => ({
            metadata_id: n,
            value: `${randomUUID()} ${'ế'.repeat(1_900)}`,
          })),
        }),
    },
    {
      ...{
        ...ofC,
        route: `POST ${CAMPAIGNS}/{survey_campaign_id}/links`,
        what: '4 MiB of wrong items',
        status: 422,
      },
      request: () =>
        json(`${CAMPAIGNS}/${CAMPAIGN_ID}/links`, {
          name: 'x',
          metadata_mapping: values(4_000 * KIB, 20_000),
        }),
    },
    ...erasures('survey'),
    ...endpoints('survey'),
    intake('survey', () => largestResponse(1_300)),
    ...(['GET /s/{publicId}', 'POST /s/{publicId}'] as const).map((route) => ({
      ...{ ...ofC, route },
      request: () => ({
        ...{ path: `/s/${publicId}`, isPublic: true },
        ...(route.startsWith('POST') && form('language=vi')),
      }),
    })),
    ...['logo', 'qr.svg'].map((part) => ({
      ...{ ...ofC, route: `GET /s/{publicId}/${part}` },
      request: () => ({ path: `/s/${publicId}/${part}`, isPublic: true }),
    })),
    {
      ...{ ...ofC, route: 'POST /s/{publicId}/responses' },
      request: () => ({
        ...{ path: `/s/${publicId}/responses`, isPublic: true },
        ...form(`identifier=${randomUUID()}&q1000=${encodeURIComponent('ế'.repeat(5_000))}`),
      }),
    },
    {
      ...{
        ...ofC,
        route: 'POST /s/{publicId}/responses',
        what: '64 KiB of fields that it does not have',
        status: 422,
      },
      request: () => ({
        ...{ path: `/s/${publicId}/responses`, isPublic: true },
        ...form(`identifier=${randomUUID()}&${'a=&'.repeat(21_000)}`),
      }),
    },
    ...(['webchat', 'contactCenter', 'survey'] as const).map((area) => ({
      ...{ route: 'an unknown token', area, status: 401 },
      request: () => ({
        ...{ path: area === 'survey' ? CAMPAIGNS : area === 'webchat' ? events : SESSIONS, isPublic: true },
        headers: {
          authorization: `Bearer ${randomUUID().repeat(400)}`,
          'organization-id': 'bench',
          'auth-type': 'token',
        },
      }),
    })),
  ];
}

function erasures(area: Area): PricedCall[] {
  const subject = () => ({
    emails: Array.from({ length: 100 }, () => `${randomUUID()}@${'İ'.repeat(200)}.example`),
  });
  return [
    {
      ...{ route: 'POST /external/erasures', what: 'a dry run of 100 emails', area },
      request: () => json('/external/erasures', { subject: subject(), dryRun: true }),
    },
    {
      ...{ route: 'POST /external/erasures', what: '100 emails', area },
      request: () => json('/external/erasures', { id: randomUUID(), subject: subject() }),
    },
    {
      ...{ route: 'GET /external/erasures/{id}', area },
      request: () => ({ path: `/external/erasures/${ERASURE_ID}` }),
    },
  ];
}

function endpoints(area: Area): PricedCall[] {
  const path = `/external/webhook-endpoints`;
  const own = `${path}/${ENDPOINT_ID}`;
  const put = () =>
    json(own, { url: `https://127.0.0.1:1/${'a'.repeat(1_900)}`, description: 'ế'.repeat(200) });
  const calls: readonly (readonly [string, () => CallRequest, number?])[] = [
    [`PUT ${path}/{id}`, put],
    [`GET ${path}/{id}`, () => ({ path: own })],
    [`GET ${path}`, () => ({ path })],
    [`POST ${path}/{id}/secret`, () => ({ path: `${own}/secret` })],
    [`POST ${path}/{id}/test`, () => ({ path: `${own}/test` })],
    [`DELETE ${path}/{id}`, () => ({ path: `${path}/${randomUUID()}` }), 404],
  ];
  return calls.map(([route, request, status]) => ({ route, area, request, status }));
}

/** 10,000 lines, or 16 MiB. */
function intake(area: Area, record: () => object): PricedCall {
  const request = () => {
    const records: object[] = [];
    for (let bytes = 0; records.length < 10_000;) {
      const next = record();
      bytes += Buffer.byteLength(JSON.stringify(next)) + 1;
      if (bytes > 16 * KIB * KIB) break;
      records.push(next);
    }
    return lines(records);
  };
  return { route: 'POST /internal/records', area, request, isPlatform: true };
}

/** What has to be stored for the calls. */
export function* largestRecords(area: Area): Generator<object[]> {
  if (area === 'webchat') yield [{ type: 'installed_source', data: { id: 1, name: 'Website' } }];
  if (area === 'contactCenter') {
    yield [{ type: 'human_schedule', data: largestSchedule() }];
    yield largestConversation();
    for (let n = 0; n < 4; n++) yield manyTickets(n);
    yield Array.from({ length: 10_000 }, (_, n) => [
      { type: 'conversation', data: { id: `c-${n}`, createdAt: at(n * 2_000), updatedAt: at(n * 2_000) } },
    ]).flat();
  }
  if (area === 'survey') {
    yield [
      ...Array.from({ length: 200 }, (_, n) => ({
        ...{
          type: 'metadata_field',
          data: { id: n, name: 'ế'.repeat(255), variable: `${n} ${'ế'.repeat(200)}` },
        },
      })),
      { type: 'organization_settings', data: { max_survey_links_per_campaign: 1_000_000 } },
    ];
    for (let n = 1; n <= 100; n++) {
      yield [
        {
          type: 'survey_campaign',
          data: largestCampaign(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
        },
      ];
    }
    for (let n = 0; n < 5; n++) yield Array.from({ length: 100 }, () => largestResponse(40_000));
    yield Array.from({ length: 4_500 }, () => largestResponse(1_000));
  }
}

function largestConversation(): object[] {
  const id = LARGEST_CONVERSATION;
  const customer = { name: 'ế'.repeat(255) };
  return [
    {
      type: 'conversation',
      data: { id, createdAt: at(0), updatedAt: at(0), closedAt: '2199-01-01T00:00:00Z', customer },
    },
    ...Array.from({ length: 9_900 }, (_, n) => ({
      type: 'activity',
      data: {
        id: `${id}-${n}`,
        conversationId: id,
        action: 'assign',
        occurredAt: at(n),
        agent: { accountId: n % 2, email: `agent-${n % 2}@example.com`, name: 'Agent' },
      },
    })),
  ];
}

/** Sixty rows of 48 kB each. */
function manyTickets(n: number): object[] {
  const conversationId = `tickets ${n}`;
  return [
    { type: 'conversation', data: { id: conversationId, createdAt: at(n), updatedAt: at(n) } },
    ...Array.from({ length: 60 }, (_, ticket) => ({
      type: 'ticket',
      data: {
        ...{ id: n * 60 + ticket + 1, conversationId, createdAt: at(n), updatedAt: at(n) },
        description: `${n} é `.repeat(12_000).slice(0, 48_000),
      },
    })),
  ];
}

/** Two hundred intervals a week, of which none touches another. */
function largestSchedule(): object {
  const time = (minute: number) => new Date(minute * 60_000).toISOString().slice(11, 16);
  const weekly = Array.from({ length: 200 }, (_, n) => {
    const minute = Math.floor(n / 7) * 45;
    return { weekday: (n % 7) + 1, start: time(minute), end: time(minute + 20) };
  });
  return { weekly };
}

/** As many characters of a page as a campaign may make. */
function largestCampaign(id: string): object {
  const options = Array.from({ length: 900 }, (_, n) => [`${n}`, `${n} ${'&'.repeat(110)}`]);
  const survey_questions = [
    {
      id: 1,
      type: 'checkbox',
      title: 'ế'.repeat(2_000),
      option_titles_by_id: Object.fromEntries(options) as object,
    },
    { id: 1_000, type: 'text', title: 'ế'.repeat(2_000) },
  ];
  return { id, name: 'ế'.repeat(1_000), status: 'active', survey_questions };
}

function largestResponse(characters: number): object {
  return {
    type: 'survey_response',
    data: {
      identifier: randomUUID(),
      survey_campaign_id: CAMPAIGN_ID,
      sent_timestamp: at(turn() % 30_000_000),
      user_name: 'Hoa',
      answers: { 1_000: 'ế'.repeat(characters / 2) },
    },
  };
}

function largestUser(): object {
  const unique = randomUUID();
  return {
    id: `${unique}${'ế'.repeat(200)}`,
    name: 'ế'.repeat(255),
    email: `${unique}@${'İ'.repeat(180)}.example`,
  };
}

function newSession(): object {
  return { organizationId: 'bench', installedSourceId: 1, user: { id: randomUUID() } };
}

/** Objects of about so many bytes in all. */
function values(bytes: number, count = 150): object[] {
  return Array.from({ length: count }, (_, n) => ({ n, text: 'a'.repeat(bytes / count - 20) }));
}

let turns = 1_000;

function turn(): number {
  return turns++;
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();
}

function json(path: string, body: object): CallRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function form(body: string): Pick<CallRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
}

function lines(records: readonly object[]): CallRequest {
  const body = records.map((record) => JSON.stringify(record)).join('\n');
  return { path: '/internal/records', headers: { 'content-type': NDJSON }, body };
}
