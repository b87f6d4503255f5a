import { request } from 'node:http';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner } from '@nestjs/core';
import { controllersOf, issueTestToken, type TestService } from '@cxp/service-kit/testing';
import { useBuiltService } from '../src/tenants';
import { send, type HttpAnswer } from '../src/http';
import { headersOf, type KnownRoute, signed, wordingOf, KNOWN_ROUTES } from '../src/known-routes';
import { contactCenter, SERVICES, survey } from '../src/service-under-test';
import { fingerprintOf } from './store-fingerprint';
import {
  accountSession,
  callerWithout,
  deniedTokenCalls,
  deniedAccountCalls,
  deniedCustomerCalls,
  type DeniedCall,
  type Headers,
} from './denied-calls';

/** Routes that anybody may call: there is nothing of an organization in what they answer. */
const PUBLIC_ROUTES = [
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  // The pages of survey links.
  'GET /s/assets/{name}',
  'GET /s/{publicId}',
  'GET /s/{publicId}/logo',
  'GET /s/{publicId}/qr.svg',
  'POST /s/{publicId}',
  'POST /s/{publicId}/responses',
  // The description of the sockets, and what browsers ask before they call the message history.
  'GET /docs/asyncapi.json',
  'OPTIONS /external/conversations/{conversationId}/events',
  'OPTIONS /external/conversations/{conversationId}/messages',
];

/** Wrong for every route that reads one of these. */
const WRONG_QUERY =
  'page=x&limit=x&cursor=x&startDate=x&start_date=x&timezone=Mars%2FBase&survey_campaign_id=x&organizationId=other';

const OTHER_ORGANIZATION = {
  detail: { message: 'organizationId does not match the authenticated organization' },
};

/** More than any limit lets through. */
const MANY_CALLS = 2_000_000;

describe.each(SERVICES)('$name', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  const running = useBuiltService(service);

  it('has no route that is not known here', () => {
    const declared = routesOf(running.inProcess).filter((route) => !PUBLIC_ROUTES.includes(route));
    expect(declared).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('serves a document of every external route', async () => {
    const documented = Object.entries(await documentedPaths()).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const external = routes.filter(({ path }) => path.startsWith('/external'));
    expect(documented.sort()).toEqual(external.map(({ method, path }) => `${method} ${path}`).sort());
  });

  describe.each(routes)('$method $path', (route) => {
    it('lets nobody through who fails to authenticate, whatever else is wrong, names what is wrong in a header and stores nothing', async () => {
      const calls = await deniedCallsOf(route);
      const before = await fingerprintOf(running.inProcess);
      const answers = await callEach(calls);
      const [first] = calls;
      answers.push({ ...first!, ...(await callWrongly(first!.headers)) });

      expect(answers.filter(({ status }) => status !== 401).map(describeAnswer)).toEqual([]);
      for (const { body } of answers) expect(body).toEqual(wordingOf(route).unauthorized);
      expect(answers.filter(({ code }) => code !== undefined).map(codeOf)).toEqual(
        answers.flatMap(({ code }) => code ?? []),
      );
      expect(await fingerprintOf(running.inProcess)).toEqual(before);
    });

    const { permission } = route;
    if (permission) {
      it('lets nobody through without the permission, and stores nothing', async () => {
        const { headers } = await callerWithout(
          permission,
          running.inProcess.dataSource,
          running.tenant.caller,
        );
        const before = await fingerprintOf(running.inProcess);
        for (const answer of [await callWrongly(headers), await callSoundly(headers)]) {
          expect(answer).toMatchObject(wordingOf(route).permissionMissing);
          expect(codeOf(answer)).toBe(`permission_missing ${permission}`);
        }
        expect(await fingerprintOf(running.inProcess)).toEqual(before);
      });
    }

    if (permission && !route.path.startsWith('/internal')) {
      it('refuses first who is not authenticated, then who has no permission, then who is over the limit, then what is wrong', async () => {
        const { headers, organizationId } = running.tenant.caller;
        const denied = await callerWithout(permission, running.inProcess.dataSource, running.tenant.caller);
        expect([200, 403, 404, 422]).toContain((await callWrongly(headers)).status);
        await exhaustLimits(running.inProcess, organizationId);
        const unknown = { ...headers, authorization: 'Bearer secret' };
        expect((await callWrongly(unknown)).body).toEqual(wordingOf(route).unauthorized);
        expect(await callWrongly(denied.headers)).toMatchObject(wordingOf(route).permissionMissing);
        expect((await callWrongly(headers)).status).toBe(429);
        await running.inProcess.redis.del(...(await running.inProcess.redis.keys('rate-limit:*')));
      });
    }

    if (route.method === 'POST') {
      it.each([
        ['without a token', 401, 'POST', '', false],
        ['of another method', 405, 'PUT', '', true],
        ['to an unknown path', 404, 'POST', '/nowhere', true],
      ])('refuses a call %s before its body is sent', async (_, status, method, below, isSigned) => {
        const { path, contentType = 'application/json' } = route.request(running.tenant);
        const own = isSigned ? headersOf(route, running.tenant) : {};
        const headers = { ...own, 'content-type': contentType };
        expect(await announce(running.built.url, method, below + path, headers)).toBe(status);
      });
    }

    it('gives nobody another organization’s data, and changes none of it', async () => {
      const calls = [
        ...route.reachingOut(running.tenant, running.other),
        ...(await namingAnother(route, running.other.caller.organizationId)),
      ];
      expect(calls).not.toHaveLength(0);
      const { organizationId } = running.other.caller;
      const before = await fingerprintOf(running.inProcess, organizationId);
      expect(Object.values(before)).toContainEqual(expect.any(String));
      for (const { what, request, status, body } of calls) {
        const answer = await send(
          running.built.url,
          signed(route, request, headersOf(route, running.tenant)),
        );
        expect({ what, status: answer.status, body: answer.body }).toEqual({ what, status, body });
      }
      expect(await fingerprintOf(running.inProcess, organizationId)).toEqual(before);
    });

    it('lets through who has the permission and no other one', async () => {
      const { organizationId } = running.tenant.caller;
      const { dataSource } = running.inProcess;
      const { headers } = permission
        ? await issueTestToken(dataSource, { organizationId, permissions: [permission] })
        : { headers: headersOf(route, running.tenant) };
      const answers = [await callSoundly(headers)];
      if (route.accountSessions) answers.push(...(await callEach([await accountSession(running.tenant)])));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => route.success));
      expect(JSON.stringify(answers)).not.toContain(running.other.mark);
      for (const { text, headers: answered } of answers) {
        if (/"sessionToken"|whsec_/.test(text)) expect(answered['cache-control']).toBe('no-store');
      }
    });

    function callEach(calls: readonly DeniedCall[]) {
      return Promise.all(
        calls.map(async ({ headers, ...call }) => ({ ...call, ...(await callSoundly(headers)) })),
      );
    }

    function callSoundly(headers: Headers): Promise<HttpAnswer> {
      return send(running.built.url, signed(route, route.request(running.tenant), headers));
    }

    /** With a wrong query, or a body that can't be read. */
    function callWrongly(headers: Headers): Promise<HttpAnswer> {
      const { path } = route.request(running.tenant);
      const wrong =
        route.method === 'GET'
          ? { path: `${path}${path.includes('?') ? '&' : '?'}${WRONG_QUERY}` }
          : { path, contentType: 'application/json', body: '{' };
      return send(running.built.url, signed(route, wrong, headers));
    }
  });

  if (service === survey) {
    it('refuses an answer to a survey page, of another method and above the limit, before its body is sent', async () => {
      const path = '/s/AAAAAAAAAAAAAAAAAAAAAA/responses';
      const headers = { 'content-type': 'application/json' };
      expect(await announce(running.built.url, 'PUT', path, headers)).toBe(405);
      await send(running.built.url, { method: 'POST', path, headers, body: '{}' });
      await exhaustLimits(running.inProcess, 'SURVEY_PUBLIC_ADDRESS');
      expect(await announce(running.built.url, 'POST', path, headers)).toBe(429);
    });
  }

  async function documentedPaths(): Promise<Record<string, Record<string, { parameters?: object[] }>>> {
    const { body } = await send(running.built.url, { method: 'GET', path: '/docs/openapi.json' });
    return (body as { paths: Awaited<ReturnType<typeof documentedPaths>> }).paths;
  }

  /** A call that names another organization in the query, if the document has a parameter for it. */
  async function namingAnother(route: KnownRoute, organizationId: string) {
    const { parameters = [] } = (await documentedPaths())[route.path]?.[route.method.toLowerCase()] ?? {};
    const isDocumented = parameters.some(
      (parameter) => 'name' in parameter && parameter.name === 'organizationId',
    );
    const { path, ...request } = route.request(running.tenant);
    const spellings = isDocumented ? ['organizationId', 'organizationId[]', 'organizationId[7]'] : [];
    return spellings.map((spelling) => {
      const url = new URL(path, running.built.url);
      // Some requests name their own organization as well.
      url.searchParams.append(spelling, organizationId);
      const named = { ...request, path: url.pathname + url.search };
      return { what: `its ${spelling} in the query`, request: named, status: 403, body: OTHER_ORGANIZATION };
    });
  }

  async function deniedCallsOf(route: KnownRoute): Promise<readonly DeniedCall[]> {
    if (!route.permission) return deniedCustomerCalls(running.tenant);
    return [
      ...(await deniedTokenCalls(running.inProcess.dataSource, running.tenant, running.other)),
      ...(route.accountSessions
        ? await deniedAccountCalls(running.tenant, running.other)
        : [await accountSession(running.tenant)]),
    ];
  }
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
  const statusOf = async ({ url }: TestService, by: Headers) =>
    (await send(url, { method: 'GET', path: '/external/webhook-endpoints', headers: by })).status;
  for (const status of [200, 200, 429]) expect(await statusOf(first, headers)).toBe(status);
  for (const status of [200, 200, 429]) expect(await statusOf(second, elsewhere.headers)).toBe(status);
  await Promise.all([first.stop(), second.stop()]);
});

async function exhaustLimits({ redis }: Pick<TestService, 'redis'>, scope: string): Promise<void> {
  for (const key of await redis.keys(`rate-limit:*${scope}*`)) await redis.set(key, MANY_CALLS, 'KEEPTTL');
}

/** Announces a body and sends none of it: a stranger must not cost one. @returns the status of the answer */
function announce(url: string, method: string, path: string, headers: Headers): Promise<number> {
  const announced = { ...headers, 'content-length': 60 * 1_024 };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(10_000);
    const outgoing = request(new URL(path, url), { method, headers: announced, signal });
    outgoing.once('response', ({ statusCode }) => {
      resolve(statusCode!);
      outgoing.destroy();
    });
    outgoing.on('error', reject);
    outgoing.flushHeaders();
  });
}

function codeOf({ headers }: HttpAnswer): string {
  return [headers['x-error-code'], headers['x-error-detail'] ?? []].flat().join(' ');
}

function describeAnswer({ fault, status, text }: HttpAnswer & Pick<DeniedCall, 'fault'>): string {
  return `${fault}: ${status} ${text.slice(0, 100)}`;
}

/** Every route that a service's controllers declare, as `POST /external/sessions`, path parameters in braces. */
function routesOf(service: Pick<TestService, 'app'>): string[] {
  return controllersOf(service).flatMap(routesOfController).sort();
}

function routesOfController(controller: Type): string[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const parts = [controller, handler].map((target) => String(Reflect.getMetadata(PATH_METADATA, target)));
    const path = parts.map((part) => part.replace(/^\/|\/$/g, '')).filter((part) => part !== '');
    return [`${method} /${path.join('/').replace(/:(\w+)/g, '{$1}')}`];
  });
}
