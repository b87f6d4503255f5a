import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { eventually } from '../src/testing';
import { closeQueuedResponses } from '../src/http/queued-responses';

/** Answers `/stream` with bytes without end, `/now` at once, and anything else never. */
let server: Server;
let opened: { readonly path: string; readonly response: ServerResponse }[];
let sources: number;

beforeEach(async () => {
  opened = [];
  sources = 0;
  server = createServer(({ url: path = '' }, response) => {
    opened.push({ path, response });
    if (path === '/now') response.end('now');
    if (path === '/stream') pipeline(Readable.from(endless()), response, () => undefined);
  });
  closeQueuedResponses(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => server.close());

async function* endless(): AsyncGenerator<Buffer> {
  sources++;
  try {
    for (;;) yield Buffer.alloc(10_000);
  } finally {
    sources--;
  }
}

async function pipelined(...paths: string[]): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`).join(''));
  await eventually(() => opened.length === paths.length);
  return socket;
}

const closed = () => opened.filter(({ response }) => response.closed).map(({ path }) => path);

it.each(['resetAndDestroy', 'destroy'] as const)(
  'a connection that breaks (%s) closes all responses that are queued on it, and ends what they were to send',
  async (end) => {
    const socket = await pipelined('/never', '/stream', '/stream', '/silent');
    await eventually(() => sources === 2);
    socket[end]();
    await eventually(() => closed().length === 4);
    await eventually(() => sources === 0);
  },
);

it('the responses of a connection that is open are sent in their order', async () => {
  const warned = jest.fn();
  process.on('warning', warned);
  const socket = await pipelined('/never', ...Array<string>(20).fill('/now'));
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  expect(closed()).toEqual([]);
  opened[0]!.response.end('first');
  await eventually(() => received.split('now').length === 21);
  expect(received.indexOf('first')).toBeLessThan(received.indexOf('now'));
  await eventually(() => closed().length === 21);
  socket.destroy();
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});
