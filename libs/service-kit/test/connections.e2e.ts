import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { limitConnections, takeUpgrades } from '../src/http/connections';
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

const LARGE = Buffer.alloc(1024 * 1024);

beforeEach(() => start());
afterEach(async () => {
  for (const socket of accepted) socket.destroy();
  await eventually(() => sources === 0);
  server.close();
});

async function start(maxWaiting?: number): Promise<void> {
  opened = [];
  accepted = [];
  sources = 0;
  server = createServer((request, response) => {
    const path = request.url ?? '';
    opened.push({ path, response });
    if (path === '/now') response.end('now');
    if (path === '/large') response.end(LARGE);
    if (path === '/stream') pipeline(Readable.from(endless()), response, () => undefined);
    if (path === '/body') request.on('end', () => response.end('body')).resume();
  });
  limitConnections(server, maxWaiting);
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

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
  'a connection that breaks (%s) closes all responses that are in work on it, and ends what they were to send',
  async (end) => {
    const socket = pipelined('/never', '/stream', '/stream', '/silent');
    await eventually(() => sources === 2);
    socket[end]();
    await eventually(() => closed().length === 4);
    await eventually(() => sources === 0);
  },
);

it('a connection that breaks while its requests wait closes those in work, and begins no other', async () => {
  const socket = pipelined('/stream', '/stream', '/stream', '/silent', '/now');
  await eventually(() => sources === 3);
  socket.destroy();
  await eventually(() => closed().length === 4);
  await eventually(() => sources === 0);
  expect(opened).toHaveLength(4);
});

it('four requests of a connection are in work, and the others follow in their order', async () => {
  const warned = jest.fn();
  process.on('warning', warned);
  const socket = pipelined('/never', ...times(20, '/now'));
  const answers = received(socket);
  await eventually(() => opened.length === 4);
  await answerOf(pipelined('/now'), 'now');
  expect(paths()).toEqual(['/never', '/now', '/now', '/now', '/now']);
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

it('5,000 requests of one connection let the others come between, and are all answered', async () => {
  const busy = received(pipelined(...times(5_000, '/now')));
  await eventually(() => opened.length >= 4);
  const other = pipelined('/other');
  let before = 0;
  await eventually(() => (before = paths().indexOf('/other')) !== -1);
  expect(before).toBeLessThan(1_000);
  other.destroy();
  await eventually(() => busy.text.split('HTTP/1.1 200').length === 5_001, 30_000);
}, 60_000);

it('nothing more is read of a connection while its requests wait, whatever is done with those in work', async () => {
  pipelined('/body', '/body', '/body', '/never', ...times(20_000, '/now'));
  await eventually(() => closed().length === 3);
  opened.forEach(({ response }) => response.req.resume());
  await answerOf(pipelined('/now'), 'now');
  expect(accepted[0]!.bytesRead).toBeLessThanOrEqual(2 * CHUNK_BYTES);
});

it('a client that does not read its answers gets no more requests into work', async () => {
  const socket = pipelined(...times(2_000, '/large'));
  socket.pause();
  await eventually(() => opened.length >= 4);
  for (let i = 0; i < 20; i++) await answerOf(pipelined('/now'), 'now');
  // What the operating system takes of a connection is some megabytes.
  expect(paths().filter((path) => path === '/large').length).toBeLessThan(30);
  expect(accepted[0]!.bytesRead).toBeLessThanOrEqual(2 * CHUNK_BYTES);
  socket.destroy();
});

it('a body that comes after requests that wait is read when its turn has come', async () => {
  const socket = pipelined('/never', ...times(5, '/now'));
  const answers = received(socket);
  await eventually(() => opened.length === 4);
  socket.write(`POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
  socket.write(LARGE);
  opened[0]!.response.end('first');
  await eventually(() => answers.text.endsWith('body'));
  expect(paths().at(-1)).toBe('/body');
});

it('when too many requests wait in all connections, one that adds many to them is cut', async () => {
  server.close();
  await start(30);
  const modest = pipelined('/never', ...times(20, '/now'));
  await eventually(() => opened.length === 4);
  const greedy = pipelined('/never', ...times(1_000, '/now'));
  await once(greedy, 'close');
  expect(modest.destroyed).toBe(false);
  const answers = received(modest);
  opened[0]!.response.end('first');
  await eventually(() => answers.text.split('now').length === 21);
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
  await eventually(() => opened.length === 4);
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

describe('a body of one byte in each chunk', () => {
  const CHUNK = '1\r\nx\r\n';
  const HEADERS = 'POST /body HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';

  it('is whole', async () => {
    let bytes = 0;
    server.on('request', (request: IncomingMessage) =>
      request.on('data', (chunk: Buffer) => (bytes += chunk.length)),
    );
    const socket = pipelined();
    const answers = received(socket);
    socket.end(HEADERS + CHUNK.repeat(100_000) + '0\r\n\r\n');
    await eventually(() => answers.text.endsWith('body'));
    expect(bytes).toBe(100_000);
  });

  it('is parsed as long as the time of a turn allows, of all connections together', async () => {
    let ofThisTurn = 0;
    let most = 0;
    // Each time that somebody looks, a millisecond is over.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now++);
    server.on('request', (request: IncomingMessage) =>
      request.on('data', ({ length }: Buffer) => {
        if (ofThisTurn === 0) setImmediate(() => (ofThisTurn = 0));
        most = Math.max(most, (ofThisTurn += length));
      }),
    );
    const sockets = Array.from({ length: 4 }, () => pipelined());
    for (const socket of sockets) socket.write(HEADERS + CHUNK.repeat(50_000) + '0\r\n\r\n');
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    jest.restoreAllMocks();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2_000);
  });
});

it('parses what arrives at once in many turns of the event loop', async () => {
  let ofThisTurn = 0;
  let most = 0;
  let parsed = 0;
  server.on('request', () => {
    if (ofThisTurn++ === 0) setImmediate(() => (ofThisTurn = 0));
    most = Math.max(most, ofThisTurn);
    parsed++;
  });
  const socket = pipelined(...times(5_000, '/now'));
  socket.resume();
  await eventually(() => parsed === 5_000);
  expect(most).toBeLessThanOrEqual(150);
});
