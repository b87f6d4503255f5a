import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startTestService, type TestService } from '../src/testing';
import { sampleDatabase, SampleModule } from './sample-service';

const CHUNK = Buffer.alloc(64 * 1_024, 'x');
const CHUNKS = 160;

let service: TestService;
beforeAll(async () => {
  service = await startTestService(SampleModule, sampleDatabase);
});
afterAll(() => service.stop());

/** What a client receives that sends all it has to send before it reads. */
async function answerTo(head: readonly string[], chunks: number): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.pause();
  await once(socket, 'connect');
  socket.write([...head, '', ''].join('\r\n'));
  for (let i = 0; i < chunks; i++) {
    if (!socket.write(CHUNK)) await once(socket, 'drain');
  }
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  return answer;
}

async function head(...headers: string[]): Promise<string[]> {
  const caller = await service.caller();
  return [
    'POST /external/greetings HTTP/1.1',
    'Host: test',
    'Connection: close',
    'Content-Type: application/json',
    ...Object.entries({ ...caller.headers }).map((header) => header.join(': ')),
    ...headers,
  ];
}

describe('a client that is still sending when it is answered reads the answer to its end', () => {
  it('a body that is too large', async () => {
    const answer = await answerTo(await head(`Content-Length: ${CHUNKS * CHUNK.length}`), CHUNKS);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*"statusCode":413\}$/s);
  });

  it('a token that is wrong', async () => {
    const lines = (await head(`Content-Length: ${CHUNKS * CHUNK.length}`)).filter(
      (line) => !line.startsWith('auth'),
    );
    expect(await answerTo(lines, CHUNKS)).toMatch(/^HTTP\/1\.1 401 .*"statusCode":401\}$/s);
  });

  it('headers that are too large', async () => {
    const lines = ['GET /external HTTP/1.1', 'Host: test', `X: ${'x'.repeat(10_000_000)}`];
    expect(await answerTo(lines, 0)).toMatch(/^HTTP\/1\.1 431 .*"statusCode":431\}$/s);
  });
});

it('a client that never ends is cut off', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write([...(await head('Content-Length: 100000000')), '', ''].join('\r\n'));
  const sending = setInterval(() => socket.write(CHUNK), 20);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(sending);
}, 20_000);
