import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { signAccountSession, type Permission } from '@cxp/access';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { campaignRecord } from './records';
import {
  CAMPAIGNS,
  EXPORT,
  FORBIDDEN,
  importRecords,
  linksOf,
  postText,
  RESPONSES,
  startSurvey,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
} from './survey-service';

const CAMPAIGN = randomUUID();
const WINDOW = `survey_campaign_id=${CAMPAIGN}&start_date=2026-01-01&end_date=2026-01-31`;

interface Endpoint {
  readonly name: string;
  readonly handler: string;
  readonly permission: Permission;
  readonly others: Permission;
  /** Sends a call that is sound but for its headers. */
  readonly send: (headers: Record<string, string>) => request.Test;
  /** Sends a call that is wrong in every way that comes after authentication and rate limit. */
  readonly sendWrong: (headers: Record<string, string>) => request.Test;
}

let service: TestService;
let caller: Caller;
let other: Caller;

const ENDPOINTS: Endpoint[] = [
  {
    name: 'C1 list campaigns',
    handler: 'CampaignController.list',
    permission: '$survey_campaign:list',
    others: '$survey_response:list',
    send: (headers) => request(service.url).get(CAMPAIGNS).set(headers),
    sendWrong: (headers) => request(service.url).get(`${CAMPAIGNS}?page=x`).set(headers),
  },
  {
    name: 'C2 list responses',
    handler: 'ResponseController.list',
    permission: '$survey_response:list',
    others: '$survey_response:export',
    send: (headers) => request(service.url).get(`${RESPONSES}?${WINDOW}`).set(headers),
    sendWrong: (headers) => request(service.url).get(RESPONSES).set(headers),
  },
  {
    name: 'C3 export responses',
    handler: 'ResponseExportController.export',
    permission: '$survey_response:export',
    others: '$survey_response:list',
    send: (headers) => request(service.url).post(`${EXPORT}?${WINDOW}`).set(headers),
    sendWrong: (headers) => request(service.url).post(EXPORT).set(headers),
  },
  {
    name: 'C4 create a link',
    handler: 'LinkController.create',
    permission: '$survey_link:create',
    others: '$survey_campaign:list',
    send: (headers) => postText(service, linksOf(CAMPAIGN), headers, '{"name":"a"}'),
    sendWrong: (headers) => postText(service, linksOf('x'), headers, '{'),
  },
];

beforeAll(async () => {
  service = await startSurvey();
  caller = await service.caller();
  other = await service.caller();
  await importRecords(service, caller, ['survey_campaign', campaignRecord({ id: CAMPAIGN })]);
});
afterAll(() => service.stop());

describe.each(ENDPOINTS)('$name', ({ send, sendWrong, permission, others, handler }) => {
  it.each<[string, () => Record<string, string | undefined>]>([
    ['authorization is missing', () => ({ authorization: undefined })],
    ['authorization has another scheme', () => ({ authorization: `Basic ${caller.token}` })],
    ['the token is no API token', () => ({ authorization: 'Bearer secret' })],
    ['the token is mistyped', () => ({ authorization: `Bearer ${caller.token.slice(0, -1)}~` })],
    ['the token is of another organization', () => ({ authorization: other.headers.authorization })],
    ['organization-id is missing', () => ({ 'organization-id': undefined })],
    ['organization-id is blank', () => ({ 'organization-id': ' ' })],
    ['organization-id is of another organization', () => ({ 'organization-id': other.organizationId })],
    ['auth-type is missing', () => ({ 'auth-type': undefined })],
    ['auth-type is unknown', () => ({ 'auth-type': 'basic' })],
  ])('is 401 when %s, before anything else', async (_, change) => {
    const headers = Object.entries({ ...caller.headers, ...change() });
    const sent = Object.fromEntries(
      headers.filter((header): header is [string, string] => header[1] !== undefined),
    );
    for (const answer of [await send(sent).expect(401), await sendWrong(sent).expect(401)]) {
      expect(answer.body).toEqual(UNAUTHORIZED);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('is 401 for an account session, which only area B takes', async () => {
    const { organizationId } = caller;
    const permissions = { $survey_response: ['list', 'export'] };
    const jwt = await signAccountSession({ accountId: '1', organizationId, permissions }, 'x'.repeat(32), 60);
    const headers = { ...caller.headers, authorization: `Bearer ${jwt}`, 'auth-type': 'account' };
    expect((await send(headers).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it('is 403 without its permission, before validation', async () => {
    const { organizationId } = caller;
    const allowed = await service.caller({ organizationId, permissions: [permission] });
    const denied = await service.caller({ organizationId, permissions: [others] });
    await send(allowed.headers).expect(200);
    expect((await send(denied.headers).expect(403)).body).toEqual(FORBIDDEN);
    expect((await sendWrong(denied.headers).expect(403)).body).toEqual(FORBIDDEN);
  });

  it('is 429 over the rate limit, before validation, after permission', async () => {
    const limited = await service.caller();
    const denied = await service.caller({
      organizationId: limited.organizationId,
      permissions: [others],
    });
    await service.redis.set(
      `rate-limit:{organization:${limited.organizationId}:${handler}}:60`,
      1_000_000,
      'PX',
      50_000,
    );
    const { body, headers } = await sendWrong(limited.headers).expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({ 'retry-after': '50', 'ratelimit-remaining': '0' });
    await send(denied.headers).expect(403);
    await send(caller.headers).expect(200);
  });

  it('is 422 for what is wrong, once the caller may call', async () => {
    const { body } = await sendWrong(caller.headers).expect(422);
    expect(Array.isArray(body.detail)).toBe(true);
  });
});
