import { request } from 'node:http';
import { issueTestToken, type TestService } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { headersOf, type KnownRoute, signed, wordingOf } from '../src/known-route';
import { KNOWN_ROUTES } from '../src/known-routes';
import { contactCenter, SERVICES, survey } from '../src/service-under-test';
import { createTenant, type Tenant } from '../src/tenants';
import { callerWithout } from './denied-calls';

const ANNOUNCED_BYTES = 60 * 1024;
/** More than any limit lets through. */
const MANY_CALLS = 2_000_000;

/** Wrong for every route that reads one of these. */
const WRONG_QUERY =
  'page=x&limit=x&cursor=x&startDate=x&start_date=x&timezone=Mars%2FBase&survey_campaign_id=x&organizationId=other';

describe.each(SERVICES)('$name', (service) => {
  let running: TestService;
  let tenant: Tenant;

  beforeAll(async () => {
    running = await service.startInProcess();
    tenant = await createTenant(service, running.url, running.dataSource);
  }, 60_000);
  afterAll(() => running.stop());

  const routes = KNOWN_ROUTES.filter(
    (route) => route.service === service && route.permission && !route.path.startsWith('/internal'),
  );

  it.each(routes)(
    '$method $path refuses first who is not authenticated, then who has no permission, then who is over the limit, then what is wrong',
    async (route) => {
      const { path } = route.request(tenant);
      const wrong =
        route.method === 'GET'
          ? { path: `${path}${path.includes('?') ? '&' : '?'}${WRONG_QUERY}` }
          : { path, contentType: 'application/json', body: '{' };
      const call = (headers: Readonly<Record<string, string>>) =>
        send(running.url, signed(route, wrong, headers));
      const own = headersOf(route, tenant);
      const unknown = { ...own, authorization: 'Bearer secret' };
      const denied = await callerWithout(route.permission!, running.dataSource, tenant.caller);

      const refused = await call(own);
      expect([200, 403, 404, 422]).toContain(refused.status);
      for (const isOverLimit of [false, true]) {
        if (isOverLimit) await exhaustLimits(running, tenant.caller.organizationId);
        expect(await call(unknown)).toMatchObject({ status: 401, body: wordingOf(route).unauthorized });
        expect(await call(denied.headers)).toMatchObject(wordingOf(route).permissionMissing);
        if (isOverLimit) expect((await call(own)).status).toBe(429);
      }
      await releaseLimits(running, tenant.caller.organizationId);
    },
  );
});

it('the same endpoint of two services over one Redis has limits of its own in each', async () => {
  const first = await survey.startInProcess({ EXTERNAL_SURVEY_PER_MIN_LIMIT: '2' });
  const { REDIS_URL } = first.environment as { REDIS_URL: string };
  const second = await contactCenter.startInProcess({
    REDIS_URL,
    EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT: '2',
  });
  const { organizationId, headers } = await first.caller();
  const elsewhere = await issueTestToken(second.dataSource, { organizationId });
  const statusOf = async ({ url }: TestService, by: Readonly<Record<string, string>>) =>
    (await send(url, { method: 'GET', path: '/external/webhook-endpoints', headers: by })).status;
  for (const status of [200, 200, 429]) expect(await statusOf(first, headers)).toBe(status);
  for (const status of [200, 200, 429]) expect(await statusOf(second, elsewhere.headers)).toBe(status);
  await Promise.all([first.stop(), second.stop()]);
});

async function exhaustLimits({ redis }: TestService, scope: string): Promise<void> {
  for (const key of await redis.keys(`rate-limit:*${scope}*`)) await redis.set(key, MANY_CALLS, 'KEEPTTL');
}

async function releaseLimits({ redis }: TestService, scope: string): Promise<void> {
  await redis.del(...(await redis.keys(`rate-limit:*${scope}*`)));
}

/** A stranger must not cost a body: the refusal comes before one is sent. */
describe.each(SERVICES)('$name refuses before the body is sent', (service) => {
  let running: TestService;
  let tenant: Tenant;

  beforeAll(async () => {
    running = await service.startInProcess();
    tenant = await createTenant(service, running.url, running.dataSource);
  }, 60_000);
  afterAll(() => running.stop());

  const routes = KNOWN_ROUTES.filter((route) => route.service === service && route.method === 'POST');

  describe.each(routes)('$method $path', (route) => {
    it.each<[what: string, status: () => number, ask: () => Promise<number>]>([
      ['without a token', () => 401, () => ask(route, {})],
      ['of another method', () => 405, () => ask(route, headersOf(route, tenant), { method: 'PUT' })],
      ['to an unknown path', () => 404, () => ask(route, headersOf(route, tenant), { below: '/nowhere' })],
    ])('a call %s', async (_, status, call) => {
      expect(await call()).toBe(status());
    });
  });

  if (service === survey) {
    it('answers of a survey page, of another method and above the limit', async () => {
      const path = '/s/AAAAAAAAAAAAAAAAAAAAAA/responses';
      const headers = { 'content-type': 'application/json' };
      expect(await announce('PUT', path, headers)).toBe(405);
      await send(running.url, { method: 'POST', path, headers, body: '{}' });
      await exhaustLimits(running, 'SURVEY_PUBLIC_ADDRESS');
      expect(await announce('POST', path, headers)).toBe(429);
    });
  }

  /** Announces a body and sends none of it. @returns the status of the answer */
  function ask(
    route: KnownRoute,
    headers: Readonly<Record<string, string>>,
    { method = route.method, below = '' } = {},
  ): Promise<number> {
    const { path, contentType } = route.request(tenant);
    return announce(method, below + path, {
      ...headers,
      ...(contentType && { 'content-type': contentType }),
    });
  }

  function announce(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<number> {
    const { hostname, port } = new URL(running.url);
    return new Promise((resolve, reject) => {
      const outgoing = request({
        hostname,
        port,
        method,
        path,
        headers: { ...headers, 'content-length': ANNOUNCED_BYTES },
        signal: AbortSignal.timeout(10_000),
      });
      outgoing.once('response', ({ statusCode }) => {
        resolve(statusCode!);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
  }
});
