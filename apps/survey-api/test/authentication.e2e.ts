import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { Permission } from '@cxp/access';
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
  await importRecords(service, caller, ['survey_campaign', campaignRecord({ id: CAMPAIGN })]);
});
afterAll(() => service.stop());

// Callers that are denied: tools/security/test/access-matrix.e2e.ts.
describe.each(ENDPOINTS)('$name', ({ send, sendWrong, permission, others, handler }) => {
  it('is 401 before anything else', async () => {
    const { body } = await sendWrong({ ...caller.headers, authorization: 'Bearer secret' }).expect(401);
    expect(body).toEqual(UNAUTHORIZED);
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
