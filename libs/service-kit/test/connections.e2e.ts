import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually, startTestService, type TestService } from '../src/testing';
import { sampleDatabase, SampleModule } from './sample-service';

let service: TestService;
beforeAll(async () => {
  service = await startTestService(SampleModule, sampleDatabase);
});
afterAll(() => service.stop());

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n');
const greet = (name: string) => get(`/external/greetings/of/${name}`);

/** Requests that are sent at once, over one connection, and what comes back, as it grows. */
async function send(requests: string): Promise<{ client: Socket; server: Socket; text: string }> {
  const { hostname, port } = new URL(service.url);
  const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
  const client = connect(Number(port), hostname).on('error', () => undefined);
  const sent = { client, server: (await accepted)[0], text: '' };
  client.on('data', (bytes) => (sent.text += String(bytes)));
  client.write(requests);
  return sent;
}

const names = (text: string) => [...text.matchAll(/Hello (\w+)/g)].map(([, name]) => name);

const HOST = 'Host: test';
const CLOSE = 'Connection: close';

it.each([
  ['that expects what is not known', 200, ['GET /health/live HTTP/1.1', HOST, CLOSE, 'Expect: more']],
  [
    'that offers HTTP/2',
    200,
    ['GET /health/live HTTP/1.1', HOST, 'Connection: close, Upgrade', 'Upgrade: h2c'],
  ],
  [
    'whose method no path has',
    405,
    ['QUERY /health/live HTTP/1.1', HOST, CLOSE, 'Content-Type: x', 'Content-Length: 1', '', '1'],
  ],
  ['of that method without a type', 405, ['QUERY /health/live HTTP/1.1', HOST, CLOSE]],
  ['of a method of WebDAV', 405, ['PROPFIND /health/live HTTP/1.1', HOST, CLOSE]],
  ['of a method of caches', 405, ['PURGE /health/live HTTP/1.1', HOST, CLOSE]],
  ['for no path at all', 404, ['OPTIONS * HTTP/1.1', HOST, CLOSE]],
  ['without a host', 400, ['GET /health/live HTTP/1.1', CLOSE]],
  ['without a host in HTTP 1.0', 200, ['GET /health/live HTTP/1.0']],
  [
    'that is refused before its body is seen to be no HTTP',
    405,
    ['POST /health/live HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', 'no length'],
  ],
])('a request %s is answered %i, once, with a request id', async (_, status, lines) => {
  const sent = await send([...lines, '', ''].join('\r\n'));
  await once(sent.client, 'close');
  expect(sent.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(sent.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nx-request-id: `, 'is'));
});

it('requests that are sent at once are answered in their order, and those of other connections meanwhile', async () => {
  const many = Array.from({ length: 100 }, (_, i) => `n${i}`);
  const sent = await send(get('/external/greetings/held/first') + many.map(greet).join(''));
  await eventually(async () => (await service.redis.exists('first:started')) === 1);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  expect(sent.text).toBe('');
  await service.redis.set('first', 1);
  await eventually(() => names(sent.text).length === 101);
  expect(names(sent.text)).toEqual(['at', ...many]);
  sent.client.destroy();
});

it('a connection with a hundred waiting requests is closed at one more, the rest of the packet is not read, and others are served', async () => {
  const sent = await send(get('/external/greetings/held/many') + greet('you').repeat(100));
  await eventually(async () => (await service.redis.exists('many:started')) === 1);
  let parsed = 0;
  const count = () => void parsed++;
  const server = service.app.getHttpServer().on('request', count);
  sent.client.write(greet('you').repeat(500));
  await once(sent.client, 'close');
  server.off('request', count);
  expect(parsed).toBe(1);
  expect(sent.text).toBe('');
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  await service.redis.set('many', 1);
});

it('a client that goes on sending and does not read its answers is not read from', async () => {
  const sent = await send('');
  sent.client.pause();
  const requests = greet('x'.repeat(15_000)).repeat(20);
  await eventually(() => {
    sent.client.write(requests);
    return sent.server.isPaused();
  });
  sent.client.destroy();
});

it.each([
  ['with its head', 'that is not answered yet', 400],
  ['later', 'that was refused already', 401],
])(
  'a body in pieces of a byte that comes %s ends the connection of a request %s',
  async (when, _, status) => {
    const { headers } = await service.caller();
    const lines = Object.entries(status === 400 ? headers : {}).map((header) => header.join(': '));
    const head = ['POST /external/greetings HTTP/1.1', HOST, 'Transfer-Encoding: chunked', ...lines, '', ''];
    const pieces = '1\r\n \r\n'.repeat(1_000);
    const sent = await send(head.join('\r\n') + (when === 'later' ? '' : pieces));
    if (when === 'later') {
      await eventually(() => sent.text.includes('401'));
      sent.client.write(pieces);
    }
    await eventually(() => sent.client.closed);
    expect(sent.text.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
  },
);

it('five hundred requests wait at most: then a connection on which one more would wait is closed', async () => {
  const held = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      send(get(`/external/greetings/held/all${i}`) + greet('you').repeat(100)),
    ),
  );
  const started = held.map((_, i) => `all${i}:started`);
  await eventually(async () => (await service.redis.exists(...started)) === 5);
  const one = await send(greet('one'));
  await eventually(() => one.text.includes('Hello one'));
  one.client.write(greet('two').repeat(2));
  await once(one.client, 'close');
  for (let i = 0; i < held.length; i++) await service.redis.set(`all${i}`, 1);
  await eventually(() => held.every(({ text }) => names(text).length === 101));
  for (const { client } of held) client.destroy();
  const again = await send(greet('again').repeat(2));
  await eventually(() => names(again.text).length === 2);
  again.client.destroy();
});

it('beyond a thousand, requests of a connection are refused with 503, and it ends when it is idle', async () => {
  service.app.getHttpServer().keepAliveTimeout = 200;
  const sent = await send('');
  for (let answered = 0; answered < 990; answered += 90) {
    sent.client.write(greet('you').repeat(90));
    await eventually(() => names(sent.text).length === answered + 90);
  }
  sent.client.write(greet('you').repeat(30));
  await once(sent.client, 'close');
  expect(names(sent.text)).toHaveLength(1_000);
  expect(sent.text.match(/HTTP\/1\.1 503 /g)).toHaveLength(20);
  expect(sent.text.match(/^connection: close/gim)).not.toBeNull();
});

it.each(['resetAndDestroy', 'destroy'] as const)(
  'a connection that breaks (%s) behind pipelined requests ends nothing else',
  async (end) => {
    const sent = await send(get('/external/greetings/held/broken') + greet('you').repeat(90));
    await eventually(async () => (await service.redis.exists('broken:started')) === 1);
    sent.client[end]();
    await eventually(() => sent.server.closed);
    await service.redis.set('broken', 1);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    await service.redis.del('broken', 'broken:started');
  },
);

it.each([
  [
    'after a request that is under way, the connection ends without an answer',
    get('/external/greetings/held/never'),
    '',
  ],
  ['after requests that are answered, it is 400', greet('you'), 'HTTP/1.1 400 '],
])('what is no HTTP: %s', async (_, before, answer) => {
  const sent = await send(before);
  if (answer) await eventually(() => sent.text.includes('Hello'));
  else await eventually(async () => (await service.redis.exists('never:started')) === 1);
  const answered = sent.text.length;
  sent.client.write('no HTTP\r\n\r\n');
  await once(sent.client, 'close');
  expect(sent.text.slice(answered, answered + answer.length + 1)).toBe(answer && `${answer}B`);
  await service.redis.set('never', 1);
});
