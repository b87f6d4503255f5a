import { randomUUID } from 'node:crypto';
import { largestSchedule } from '@cxp/system-tests/workloads';
import { SurveySettings } from '@cxp/survey-api/settings';
import { at, CAMPAIGN_ID, LARGEST_CONVERSATION, largestResponse, largestUser, turn } from './largest-records';
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
  /** How many an address may send in a second, where no header says so. */
  readonly perSecond?: number;
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

export const ERASURE_ID = '00000000-0000-4000-8000-00000000e1a5';
export const ENDPOINT_ID = '00000000-0000-4000-8000-00000000e4d0';
const KIB = 1_024;
const YEAR = 'startDate=2026-01-01&endDate=2026-12-31';
/** An export starts at most 90 days before its end. */
const OF_CAMPAIGN = `survey_campaign_id=${CAMPAIGN_ID}&start_date=2026-01-01&end_date=2026-03-31`;
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
  const { SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT, SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT } = new SurveySettings();
  const viewed = { ...ofC, perSecond: SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT };
  const submitted = { ...ofC, perSecond: SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT };
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
      request: () => ({ path: `${CAMPAIGNS}?per_page=100&search=${'a'.repeat(15 * KIB)}` }),
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
      ...{ ...viewed, route },
      request: () => ({
        ...{ path: `/s/${publicId}`, isPublic: true },
        ...(route.startsWith('POST') && form('language=vi')),
      }),
    })),
    ...['logo', 'qr.svg'].map((part) => ({
      ...{ ...viewed, route: `GET /s/{publicId}/${part}` },
      request: () => ({ path: `/s/${publicId}/${part}`, isPublic: true }),
    })),
    {
      ...{ ...submitted, route: 'POST /s/{publicId}/responses' },
      request: () => ({
        ...{ path: `/s/${publicId}/responses`, isPublic: true },
        ...form(`identifier=${randomUUID()}&q1000=${encodeURIComponent('ế'.repeat(5_000))}`),
      }),
    },
    {
      ...{
        ...submitted,
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

function newSession(): object {
  return { organizationId: 'bench', installedSourceId: 1, user: { id: randomUUID() } };
}

/** Objects of about so many bytes in all. */
function values(bytes: number, count = 150): object[] {
  return Array.from({ length: count }, (_, n) => ({ n, text: 'a'.repeat(bytes / count - 20) }));
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
