import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { hostileRequest } from './hostile-requests';
import { useBuiltService } from '../src/tenants';
import { send, type HttpAnswer } from '../src/http';
import { headersOf, type KnownRoute, KNOWN_ROUTES } from '../src/known-routes';
import { SERVICES, webchat } from '../src/service-under-test';
import { runs, seed } from '@cxp/testing';

const RUNS_PER_ROUTE = runs(85);

describe.each(SERVICES)('$name', (service) => {
  const running = useBuiltService(service);

  it.each(KNOWN_ROUTES.filter((route) => route.service === service))(
    '$method $path answers whatever it is sent as it should',
    async (route) => {
      const request = hostileRequest(
        route,
        route.request(running.tenant),
        headersOf(route, running.tenant),
        parametersOf(route),
      );
      await fc.assert(
        fc.asyncProperty(request, async (hostile) => {
          expectProper(route, hostile.method, await send(running.built.url, hostile));
        }),
        { seed, numRuns: RUNS_PER_ROUTE, endOnFailure: false },
      );
    },
    30_000 + 600 * RUNS_PER_ROUTE,
  );

  it('is alive and has logged no error', async () => {
    expect((await send(running.built.url, { method: 'GET', path: '/health/live' })).status).toBe(200);
    expect(running.built.output()).not.toContain('"level":"error"');
  });
});

/** Never a mistake of ours; and every refusal in the area's words. */
function expectProper(route: KnownRoute, method: string, { status, headers, body }: HttpAnswer): void {
  expect(status).toBeLessThan(500);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) });
  if (status < 400 || method === 'HEAD') return;
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(body).toEqual(envelopeOf(route));
}

function envelopeOf({ service, path }: KnownRoute): unknown {
  const message = expect.objectContaining({ message: expect.anything(), statusCode: expect.any(Number) });
  const detail = { detail: expect.anything() };
  if (service !== webchat) return detail;
  // A path that the router can't read belongs to no route.
  return path.startsWith('/internal') ? oneOf(detail, message) : message;
}

function oneOf(...expected: unknown[]): unknown {
  return {
    asymmetricMatch: (actual: unknown) =>
      expected.some((one) => {
        try {
          expect(actual).toEqual(one);
          return true;
        } catch {
          return false;
        }
      }),
  };
}

function parametersOf({ service, method, path }: KnownRoute): string[] {
  const document = JSON.parse(
    readFileSync(join(workspaceRoot, 'apps', service.name, 'openapi.json'), 'utf8'),
  ) as { paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>> };
  const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
  return parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
}
