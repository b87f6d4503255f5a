import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { useBuiltService } from '../src/built-service';
import { send, type HttpAnswer } from '../src/http';
import { headersOf, type KnownRoute, signed, wordingOf } from '../src/known-route';
import { KNOWN_ROUTES } from '../src/known-routes';
import { routesOf } from './routes-of';
import { SERVICES } from '../src/service-under-test';
import { fingerprintOf } from './store-fingerprint';
import {
  accountSession,
  callerWithout,
  deniedTokenCalls,
  deniedAccountCalls,
  deniedCustomerCalls,
  type DeniedCall,
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

describe.each(SERVICES)('$name', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  const running = useBuiltService(service);

  it('has no route that is not known here', () => {
    const declared = routesOf(running.inProcess).filter((route) => !PUBLIC_ROUTES.includes(route));
    expect(declared).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('serves a document of every external route', async () => {
    const { body } = await send(running.built.url, { method: 'GET', path: '/docs/openapi.json' });
    const document = body as { paths: Record<string, object> };
    expect(document).toEqual(
      JSON.parse(readFileSync(join(workspaceRoot, 'apps', service.name, 'openapi.json'), 'utf8')),
    );
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const external = routes.filter(({ path }) => path.startsWith('/external'));
    expect(documented.sort()).toEqual(external.map(({ method, path }) => `${method} ${path}`).sort());
  });

  describe.each(routes)('$method $path', (route) => {
    it('lets nobody through who fails to authenticate, names what is wrong in a header and stores nothing', async () => {
      const calls = await deniedCallsOf(route);
      const before = await fingerprintOf(running.inProcess);
      const answers = await callEach(calls);

      expect(answers.filter(({ status }) => status !== 401).map(describeAnswer)).toEqual([]);
      for (const { body } of answers) expect(body).toEqual(wordingOf(route).unauthorized);
      expect(answers.filter(({ code }) => code !== undefined).map(codeOf)).toEqual(
        calls.flatMap(({ code }) => code ?? []),
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
        const [answer] = await callEach([{ fault: 'no permission', headers }]);

        expect(answer).toMatchObject(wordingOf(route).permissionMissing);
        expect(codeOf(answer!)).toBe(`permission_missing ${permission}`);
        expect(await fingerprintOf(running.inProcess)).toEqual(before);
      });
    }

    it('gives nobody another organization’s data, and changes none of it', async () => {
      const calls = route.reachingOut(running.tenant, running.other);
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
      const answers = [await send(running.built.url, signed(route, route.request(running.tenant), headers))];
      if (route.accountSessions) answers.push(...(await callEach([await accountSession(running.tenant)])));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => route.success));
      expect(JSON.stringify(answers)).not.toContain(running.other.mark);
    });

    function callEach(calls: readonly DeniedCall[]) {
      return Promise.all(
        calls.map(async ({ fault, code, headers }) => ({
          fault,
          code,
          ...(await send(running.built.url, signed(route, route.request(running.tenant), headers))),
        })),
      );
    }
  });

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

function codeOf({ headers }: HttpAnswer): string {
  return [headers['x-error-code'], headers['x-error-detail'] ?? []].flat().join(' ');
}

function describeAnswer({ fault, status, text }: HttpAnswer & Pick<DeniedCall, 'fault'>): string {
  return `${fault}: ${status} ${text.slice(0, 100)}`;
}
