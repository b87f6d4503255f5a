import { useBuiltService } from '@cxp/services/built-service';
import { send } from '@cxp/services/http';
import { headersOf, signed } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { sendRaw } from '../src/raw-connection';
import { SERVICES } from '@cxp/services/service-under-test';

/** Long enough for headers, or a body, that come too slowly to be given up. */
const PATIENCE_MS = 45_000;

describe.each(SERVICES)('$name', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  const running = useBuiltService(service);

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
      const { caller } = running.tenant;
      const bodies = routes.filter(
        (route) => route.request(running.tenant).contentType === 'application/json',
      );
      const slow = [
        sendRaw(running.built.url, 'GET /external HTTP/1.1\r\nHost: test\r\nX: ', { trickle: 'x' }),
        sendRaw(running.built.url, 'GET /external HTTP/1.1\r\nHost: test\r\n'),
        ...bodies.map((route) =>
          sendRaw(
            running.built.url,
            [
              `POST ${route.request(running.tenant).path} HTTP/1.1`,
              'Host: test',
              ...Object.entries(caller.headers).map((header) => header.join(': ')),
              'Content-Type: application/json',
              'Content-Length: 1000',
              '',
              '{',
            ].join('\r\n'),
            { trickle: ' ' },
          ),
        ),
      ];
      let isOver = false;
      const answers = Promise.all(slow).finally(() => (isOver = true));
      const health: number[] = [];
      while (!isOver) {
        const start = performance.now();
        expect((await send(running.built.url, { method: 'GET', path: '/health/ready' })).status).toBe(200);
        health.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      const [trickled, silent, ...cut] = await answers;
      for (const one of [trickled!, silent!]) {
        expect(one).toMatchObject({ status: 408, body: service.unreadable(408) });
        expect(one.milliseconds).toBeLessThan(PATIENCE_MS / 2);
      }
      for (const one of cut) {
        expect(one.status).toBe(0);
        expect(one.milliseconds).toBeLessThan(PATIENCE_MS);
      }
      expect(Math.max(...health)).toBeLessThan(1_000);
    },
    2 * PATIENCE_MS,
  );
});

function post(...headers: string[]): string {
  return ['POST /external HTTP/1.1', 'Host: test', ...headers, '', 'x'].join('\r\n');
}
