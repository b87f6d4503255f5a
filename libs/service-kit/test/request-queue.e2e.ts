import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { oneAfterTheOther, takeUpgrades } from '../src/http/request-queue';
import { eventually } from '../src/testing';

const CHUNK_BYTES = 64 * 1_024;

/**
 * Answers `/stream` with bytes without end, `/large` with a megabyte, `/now` at once, `/body` when its body has come, and anything
 * else never.
 */
let server: Server;
let opened: { readonly path: string; readonly response: ServerResponse }[];
let accepted: Socket[];
let sources: number;
let onRequest: () => void;

const LARGE = Buffer.alloc(1024 * 1024);

afterEach(async () => {
  for (const socket of accepted) socket.destroy();
  await eventually(() => sources === 0);
  server.close();
});

beforeEach(async () => {
  onRequest = () => undefined;
  opened = [];
  accepted = [];
  sources = 0;
  const handle: RequestListener = (request, response) => {
    onRequest();
    const path = request.url ?? '';
    opened.push({ path, response });
    if (path === '/now') response.end('now');
    if (path === '/large') response.end(LARGE);
    if (path === '/stream') pipeline(Readable.from(endless()), response, () => undefined);
    if (path === '/body') request.on('end', () => response.end('body')).resume();
  };
  server = createServer(oneAfterTheOther(handle));
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

async function* endless(): AsyncGenerator<Buffer> {
  sources++;
  try {
    for (;;) yield Buffer.alloc(10_000);
  } finally {
    sources--;
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;

function pipelined(...paths: string[]): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(paths.map(get).join(''));
  return socket;
}

/** What a client receives, as it grows. */
function received(socket: Socket): { text: string } {
  const all = { text: '' };
  socket.on('data', (chunk: Buffer) => (all.text += chunk.toString('latin1')));
  return all;
}

const paths = () => opened.map(({ path }) => path);
const closed = () => opened.filter(({ response }) => response.closed).map(({ path }) => path);
const times = (count: number, path: string) => Array<string>(count).fill(path);

it.each(['resetAndDestroy', 'destroy'] as const)(
  'a connection that breaks (%s) closes the response that is in work on it, and begins no other',
  async (end) => {
    const socket = pipelined('/stream', '/stream', '/now');
    await eventually(() => sources === 1);
    socket[end]();
    await eventually(() => closed().length === 1);
    await eventually(() => sources === 0);
    expect(opened).toHaveLength(1);
  },
);

it('one request of a connection is in work, and the others follow in their order', async () => {
  const warned = jest.fn();
  process.on('warning', warned);
  const socket = pipelined('/never', ...times(20, '/now'));
  const answers = received(socket);
  await eventually(() => opened.length === 1);
  await answerOf(pipelined('/now'), 'now');
  expect(paths()).toEqual(['/never', '/now']);
  opened[0]!.response.end('first');
  await eventually(() => answers.text.split('now').length === 21);
  expect(answers.text.indexOf('first')).toBeLessThan(answers.text.indexOf('now'));
  await eventually(() => closed().length === 22);
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

async function answerOf(socket: Socket, body: string): Promise<string> {
  const answers = received(socket);
  await eventually(() => answers.text.endsWith(body));
  return answers.text;
}

it('a request that waited is handled in the context that it came in', async () => {
  const trace = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const emit = server.emit.bind(server) as (name: string, ...args: unknown[]) => boolean;
  // As the instrumentation of OpenTelemetry does it.
  jest
    .spyOn(server, 'emit')
    .mockImplementation((name: string, ...args: unknown[]) =>
      name === 'request'
        ? trace.run((args[0] as IncomingMessage).url!, () => emit(name, ...args))
        : emit(name, ...args),
    );
  onRequest = () => seen.push(trace.getStore());
  await answerOf(pipelined('/now', '/body', '/large', '/now'), 'now');
  expect(seen).toEqual(['/now', '/body', '/large', '/now']);
});

it('5,000 requests of one connection let the others come between, and are all answered', async () => {
  const busy = received(pipelined(...times(5_000, '/now')));
  await eventually(() => opened.length >= 1);
  const other = pipelined('/other');
  let before = 0;
  await eventually(() => (before = paths().indexOf('/other')) !== -1);
  expect(before).toBeLessThan(1_000);
  other.destroy();
  await eventually(() => busy.text.split('HTTP/1.1 200').length === 5_001, 30_000);
}, 60_000);

it('nothing more is read of a connection while its requests wait', async () => {
  pipelined('/body', '/never', ...times(20_000, '/now'));
  await eventually(() => opened.length === 2);
  opened.forEach(({ response }) => response.req.resume());
  await answerOf(pipelined('/now'), 'now');
  expect(accepted[0]!.bytesRead).toBeLessThanOrEqual(2 * CHUNK_BYTES);
});

it('a client that does not read its answers gets no more requests into work', async () => {
  const socket = pipelined(...times(2_000, '/large'));
  socket.pause();
  await eventually(() => opened.length >= 1);
  for (let i = 0; i < 20; i++) await answerOf(pipelined('/now'), 'now');
  // What the operating system takes of a connection is some megabytes.
  expect(paths().filter((path) => path === '/large').length).toBeLessThan(30);
  expect(accepted[0]!.bytesRead).toBeLessThanOrEqual(2 * CHUNK_BYTES);
  socket.destroy();
});

it('a body that comes after requests that wait is read when its turn has come', async () => {
  const socket = pipelined('/never', ...times(5, '/now'));
  const answers = received(socket);
  await eventually(() => opened.length === 1);
  socket.write(`POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
  socket.write(LARGE);
  opened[0]!.response.end('first');
  await eventually(() => answers.text.endsWith('body'));
  expect(paths().at(-1)).toBe('/body');
});

it('an upgrade waits for the answers of the requests before it, and loses nothing of what follows it', async () => {
  const upgrades: string[] = [];
  takeUpgrades(server, (request, socket, head) => {
    upgrades.push(request.url!);
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    socket.write(head);
    socket.pipe(socket);
    return true;
  });
  const socket = pipelined('/never', ...times(10, '/now'));
  const answers = received(socket);
  socket.write('GET /chat HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nhead');
  await eventually(() => opened.length === 1);
  socket.write('-and-');
  opened[0]!.response.end('first');
  await eventually(() => upgrades.length === 1);
  socket.write('more');
  await eventually(() => answers.text.endsWith('head-and-more'));
  expect(answers.text.split('HTTP/1.1 200')).toHaveLength(12);
  expect(answers.text.split('101 Switching')[0]!.split('now')).toHaveLength(11);
});

it('an upgrade gets all that came at once behind it, also what was not parsed while it waited', async () => {
  takeUpgrades(server, (_request, socket, head) => {
    socket.write(head);
    socket.on('data', (bytes) => socket.write(bytes));
    return true;
  });
  const upgrade = 'GET /chat HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n';
  const sent = Array.from({ length: 5_000 }, (_, n) => `${n} `).join('');
  const socket = pipelined();
  const answers = received(socket);
  socket.write(get('/never') + upgrade + sent);
  await eventually(() => opened.length === 1);
  opened[0]!.response.end('first');
  await eventually(() => answers.text.endsWith(`first${sent}`));
});

it('what follows an upgrade that nobody takes is answered, however it comes', async () => {
  takeUpgrades(server, () => false);
  const upgrade = 'GET /now HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n';
  const socket = pipelined('/now');
  const answers = received(socket);
  socket.write(upgrade + get('/body') + get('/large'));
  await eventually(() => opened.length === 4);
  socket.write(get('/now'));
  await eventually(() => answers.text.endsWith('now'));
  expect(paths()).toEqual(['/now', '/now', '/body', '/large', '/now']);
  expect(answers.text.match(/HTTP\/1\.1 200/g)).toHaveLength(5);
});
