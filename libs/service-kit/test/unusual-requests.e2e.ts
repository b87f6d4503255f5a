import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, startTestService, type TestService } from '../src/testing';
import { sampleDatabase, SampleModule } from './sample-service';

let service: TestService;
beforeAll(async () => {
  service = await startTestService(SampleModule, sampleDatabase);
});
afterAll(() => service.stop());

/** All that comes back on a connection until the server closes it. */
async function answersTo(...lines: string[]): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([...lines, '', ''].join('\r\n'));
  let answers = '';
  for await (const bytes of socket) answers += String(bytes);
  return answers;
}

const HOST = 'Host: test';
const CLOSE = 'Connection: close';

it('a connection ends when it is idle after the answer to its thousandth request, which says so', async () => {
  service.app.getHttpServer().keepAliveTimeout = 200;
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const hundred = ['GET /health/live HTTP/1.1', HOST, '', ''].join('\r\n').repeat(100);
  socket.write(hundred);
  let answers = '';
  let sent = 100;
  for await (const bytes of socket) {
    answers += String(bytes);
    if (sent === 1_000 || answers.match(/HTTP\/1\.1 200 /g)?.length !== sent) continue;
    socket.write(hundred);
    sent += 100;
  }
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(1_000);
  expect(answers.match(/^connection: close/gim)).toHaveLength(1);
});

it('of connections with hundreds of requests behind one that is under way, the last ones are closed', async () => {
  const { hostname, port } = new URL(service.url);
  const get = (path: string) => ['GET ' + path + ' HTTP/1.1', HOST, '', ''].join('\r\n');
  const open = (text: string) => {
    const client = connect(Number(port), hostname).on('error', () => undefined);
    client.write(text);
    return client;
  };
  const many = get('/external/greetings/held/first') + get('/health/live').repeat(80);
  // What is gone leaves room for others.
  for (let round = 0; round < 3; round++) {
    const clients = Array.from({ length: 20 }, () => open(many));
    let closed = 0;
    for (const client of clients) client.on('close', () => closed++).resume();
    await eventually(() => closed > 0);
    expect(closed).toBeLessThan(20);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    for (const client of clients) client.destroy();
  }

  await service.redis.set('first', 1);
  const lines = Array<string[]>(80).fill(['GET /health/live HTTP/1.1', HOST, '']).flat();
  await eventually(async () => {
    const answers = await answersTo(...lines, 'GET /health/live HTTP/1.1', HOST, CLOSE).catch(() => '');
    return answers.match(/HTTP\/1\.1 200 /g)?.length === 81;
  });
});

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
  ['for no path at all', 404, ['OPTIONS * HTTP/1.1', HOST, CLOSE]],
  ['without a host', 400, ['GET /health/live HTTP/1.1', CLOSE]],
  ['without a host in HTTP 1.0', 200, ['GET /health/live HTTP/1.0']],
  [
    'that is refused before its body is seen to be no HTTP',
    405,
    ['POST /health/live HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', 'no length'],
  ],
])('a request %s is answered %i, once, with a request id', async (_, status, lines) => {
  const answers = await answersTo(...lines);
  expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answers).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nx-request-id: `, 'is'));
});
