import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot, type ServiceProcess } from '@cxp/local-servers';
import { send, type HttpAnswer } from '@cxp/services/http';
import { headersOf, signed, wordingOf, type KnownRoute } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { routesOf } from '@cxp/services/routes-of';
import { SERVICES, startBuilt } from '@cxp/services/service-under-test';
import { fingerprintOf } from '../src/store-fingerprint';
import { createTenant, type Tenant } from '@cxp/services/tenants';
import {
  accountSession,
  callerWithout,
  deniedTokenCalls,
  deniedAccountCalls,
  deniedCustomerCalls,
  type DeniedCall,
} from '../src/denied-calls';

/** Routes that anybody may call: there is nothing of an organization in what they answer. */
const PUBLIC_ROUTES = [
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  // The pages of survey links.
  'GET /s/assets/{name}',
  'GET /s/{publicId}',
  'POST /s/{publicId}/responses',
  // The description of the sockets, and what browsers ask before they call the message history.
  'GET /docs/asyncapi.json',
  'OPTIONS /external/conversations/{conversationId}/events',
  'OPTIONS /external/conversations/{conversationId}/messages',
];

describe.each(SERVICES)('$name', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  let inProcess: TestService;
  let built: ServiceProcess;
  let own: Tenant;
  let other: Tenant;

  beforeAll(async () => {
    inProcess = await service.startInProcess();
    built = await startBuilt(service, { ...inProcess.environment });
    own = await createTenant(service, built.url, inProcess.dataSource);
    other = await createTenant(service, built.url, inProcess.dataSource);
  }, 60_000);

  afterAll(async () => {
    await built?.stop();
    await inProcess.stop();
  });

  it('has no route that is not known here', () => {
    const declared = routesOf(inProcess).filter((route) => !PUBLIC_ROUTES.includes(route));
    expect(declared).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('documents every external route', () => {
    const document = JSON.parse(
      readFileSync(join(workspaceRoot, 'apps', service.name, 'openapi.json'), 'utf8'),
    ) as { paths: Record<string, object> };
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const external = routes.filter(({ path }) => path.startsWith('/external'));
    expect(documented.sort()).toEqual(external.map(({ method, path }) => `${method} ${path}`).sort());
  });

  describe.each(routes)('$method $path', (route) => {
    it('lets nobody through who fails to authenticate, tells all of them the same and stores nothing', async () => {
      const calls = await deniedCallsOf(route);
      const before = await fingerprintOf(inProcess);
      const answers = await callEach(calls);

      expect(answers.filter(({ status }) => status !== 401).map(describeAnswer)).toEqual([]);
      for (const { body } of answers) expect(body).toEqual(wordingOf(route).unauthorized);
      expect(await fingerprintOf(inProcess)).toEqual(before);
    });

    const { permission } = route;
    if (permission) {
      it('lets nobody through without the permission, and stores nothing', async () => {
        const { headers } = await callerWithout(permission, inProcess.dataSource, own.caller);
        const before = await fingerprintOf(inProcess);
        const [answer] = await callEach([{ fault: 'no permission', headers }]);

        expect(answer).toMatchObject(wordingOf(route).permissionMissing);
        expect(await fingerprintOf(inProcess)).toEqual(before);
      });
    }

    it('gives nobody another organization’s data, and changes none of it', async () => {
      const calls = route.reachingOut(own, other);
      expect(calls).not.toHaveLength(0);
      const { organizationId } = other.caller;
      const before = await fingerprintOf(inProcess, organizationId);
      expect(Object.values(before)).toContainEqual(expect.any(String));
      for (const { what, request, status, body } of calls) {
        const answer = await send(built.url, signed(route, request, headersOf(route, own)));
        expect({ what, status: answer.status, body: answer.body }).toEqual({ what, status, body });
      }
      expect(await fingerprintOf(inProcess, organizationId)).toEqual(before);
    });

    it('lets through who may', async () => {
      const answers = [await send(built.url, signed(route, route.request(own), headersOf(route, own)))];
      if (route.accountSessions) answers.push(...(await callEach([await accountSession(own)])));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => route.success));
      expect(JSON.stringify(answers)).not.toContain(other.mark);
    });

    function callEach(calls: readonly DeniedCall[]) {
      return Promise.all(
        calls.map(async ({ fault, headers }) => ({
          fault,
          ...(await send(built.url, signed(route, route.request(own), headers))),
        })),
      );
    }
  });

  async function deniedCallsOf(route: KnownRoute): Promise<readonly DeniedCall[]> {
    if (!route.permission) return deniedCustomerCalls(own);
    return [
      ...(await deniedTokenCalls(inProcess.dataSource, own, other)),
      ...(route.accountSessions ? await deniedAccountCalls(own, other) : [await accountSession(own)]),
    ];
  }
});

function describeAnswer({ fault, status, text }: HttpAnswer & Pick<DeniedCall, 'fault'>): string {
  return `${fault}: ${status} ${text.slice(0, 100)}`;
}
