import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@cxp/service-kit/testing';
import { useBuiltService, type Tenant } from '../src/tenants';
import { send } from '../src/http';
import { headersOf, signed, wordingOf, type KnownRoute, KNOWN_ROUTES } from '../src/known-routes';
import { type RawAnswer, sendRaw } from './raw-connection';
import { SERVICES } from '../src/service-under-test';

/** Longer than a server waits for the rest of headers, or of a body. */
const PATIENCE_MS = 180_000;

const READY_WITHIN_MS = 5_000;

const RUNNING = SERVICES.map((service) => ({
  name: service.name,
  service,
  routes: KNOWN_ROUTES.filter((route) => route.service === service),
  running: useBuiltService(service),
  /** What is answered to clients that send too slowly: two of them headers, the others the body of each route. They all begin before the first test, so that they are waited for once. */
  slow: [] as Promise<RawAnswer>[],
}));

beforeAll(() => {
  for (const { running, routes, slow } of RUNNING) {
    const { url } = running.built;
    slow.push(sendRaw(url, 'GET /external HTTP/1.1\r\nHost: test\r\nX: ', { trickle: 'x' }));
    slow.push(sendRaw(url, 'GET /external HTTP/1.1\r\nHost: test\r\n'));
    for (const { method, request } of withJson(routes, running.tenant)) {
      const answer = sendRaw(
        url,
        [
          `${method} ${request(running.tenant).path} HTTP/1.1`,
          'Host: test',
          ...Object.entries(running.tenant.caller.headers).map((header) => header.join(': ')),
          'Content-Type: application/json',
          'Content-Length: 1000',
          '',
          '{',
        ].join('\r\n'),
        { trickle: ' ' },
      );
      slow.push(answer);
    }
  }
});

describe.each(RUNNING)('$name', ({ service, routes, running, slow }) => {
  const get = (path: string, ...headers: string[]) =>
    ['GET ' + path + ' HTTP/1.1', 'Host: test', ...headers, '', ''].join('\r\n');

  it.each([
    ['headers of more than 16 KiB', 431, get('/external', `X: ${'x'.repeat(20_000)}`)],
    ['a URL of more than 16 KiB', 431, get(`/external?${'x'.repeat(20_000)}`)],
    ['a method that there is not', 400, 'FETCH / HTTP/1.1\r\nHost: test\r\n\r\n'],
    ['a control character in a header', 400, get('/external', 'X: a\x01b')],
    [
      'two lengths, which two servers could read differently',
      400,
      post('Content-Length: 1', 'Content-Length: 2'),
    ],
    ['a length and chunks', 400, post('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['TLS, where none is spoken', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s: %i in its own words', async (_, status, text) => {
    const answer = await sendRaw(running.built.url, text);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: service.unreadable(status),
    });
  });

  it('takes a query of thousands of parameters as it takes any other', async () => {
    for (const route of routes) {
      const sound = route.request(running.tenant);
      const path = `${sound.path}${sound.path.includes('?') ? '&' : '?'}${'a[]=1&'.repeat(2_000)}`;
      const answer = await send(
        running.built.url,
        signed(route, { ...sound, path }, headersOf(route, running.tenant)),
      );
      expect(answer.status).toBe(route.success);
    }
  });

  it(
    'gives up clients that send too slowly, and serves the others meanwhile',
    async () => {
      let isOver = false;
      const isReady = async () =>
        (await send(running.built.url, { method: 'GET', path: '/health/ready' })).status === 200;
      const answers = Promise.all(slow).finally(() => (isOver = true));
      while (!isOver) {
        // A check of a busy machine may come too late once; slow clients are there for much longer.
        await eventually(isReady, READY_WITHIN_MS);
        await Promise.race([answers, sleep(500)]);
      }
      const [trickled, silent, ...bodies] = await answers;
      for (const one of [trickled, silent]) {
        expect(one).toEqual({ status: 408, body: service.unreadable(408) });
      }
      expect(bodies).toEqual(
        withJson(routes, running.tenant).map((route) => ({
          status: 503,
          body: wordingOf(route).unavailable,
        })),
      );
    },
    PATIENCE_MS,
  );
});

function withJson(routes: readonly KnownRoute[], tenant: Tenant): readonly KnownRoute[] {
  return routes.filter(({ request }) => request(tenant).contentType === 'application/json');
}

function post(...headers: string[]): string {
  return ['POST /external HTTP/1.1', 'Host: test', ...headers, '', 'x'].join('\r\n');
}
