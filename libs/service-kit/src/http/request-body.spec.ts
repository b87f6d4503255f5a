import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as clientRequest } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { messageEnvelope, sendProblem } from '@cxp/error-envelopes';
import { eventually } from '../testing';
import { readBody, receiveBodies } from './request-body';
import type { ReceivedBody } from './request-body';
import { limitTimes } from './request-time';

const MAX_BYTES = 16 * 1_024 * 1_024;
const LARGE_BYTES = 1_024 * 1_024;

describe('a whole body', () => {
  const any = (length: number) => length;

  it('is what was sent, however it was cut', async () => {
    const parts = ['a', '', 'bc', 'd'.repeat(5_000), 'e'];
    const body = await readBody(Readable.from(parts.map((part) => Buffer.from(part))), any);
    expect(body.toString()).toBe(parts.join(''));
  });

  it('of a client that went away before it was read is cut off', async () => {
    const raw = new PassThrough();
    raw.destroy();
    await once(raw, 'close');
    await expect(readBody(raw, any)).rejects.toMatchObject({
      problem: { code: 'request_malformed', status: 400 },
    });
  });
});

describe('the body of a request', () => {
  let app: FastifyInstance;
  let hold: Promise<void>;
  let release: () => void;
  let handled: number[];
  let waiting: number;

  beforeEach(async () => {
    hold = new Promise((resolve) => (release = resolve));
    handled = [];
    waiting = 0;
    app = fastify({ forceCloseConnections: true });
    limitTimes(app, () => messageEnvelope, 20_000);
    receiveBodies(app);
    app.setErrorHandler((error, request, reply) => {
      sendProblem(error, () => messageEnvelope, request, reply);
    });
    app.addHook('onRequest', async (request) => {
      request.caller = String(request.headers['organization-id']);
    });
    // What is held is held for as long as the test needs.
    const config = { body: { receivedBytes: MAX_BYTES }, timeLimitMs: 60_000 };
    app.post('/', { config }, async (request) => {
      const bytes = (request.body as ReceivedBody).bytes.length;
      if (request.headers.expects === 'hold') {
        waiting++;
        await hold;
      }
      handled.push(bytes);
      return { bytes };
    });
    app.post('/none', () => 'answered');
    await app.listen();
  });
  afterEach(() => app.close());

  function send(bytes: number, headers: Record<string, string> = {}, path = '/'): Promise<Response> {
    const body = Buffer.alloc(bytes, 'x');
    return fetch(app.listeningOrigin + path, { method: 'POST', headers, body });
  }

  it('may have as many bytes as are allowed, and none more, whether it says how many or not', async () => {
    expect(await (await send(MAX_BYTES)).json()).toEqual({ bytes: MAX_BYTES });
    expect((await send(MAX_BYTES + 1)).status).toBe(413);
    const body = new Blob([Buffer.alloc(MAX_BYTES + 1)]).stream();
    const chunked = { method: 'POST', body, duplex: 'half' } as const;
    expect((await fetch(app.listeningOrigin, chunked)).status).toBe(413);
  });

  it('is left to a route that has none', async () => {
    expect((await send(2 * MAX_BYTES, {}, '/none')).status).toBe(200);
  });

  it.each([
    ['is cut', 'abc', 9],
    ['is longer than it says', 'abcdef', 3],
  ])('that %s harms nobody, and is never handled with other bytes than it says', async (_, body, length) => {
    const socket = connect(Number(new URL(app.listeningOrigin).port), 'localhost');
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    await once(socket, 'ready');
    socket.end();
    let answers = '';
    for await (const bytes of socket) answers += String(bytes);
    expect(handled.every((bytes) => bytes === length)).toBe(true);
    expect(answers.match(/HTTP\/1\.1 200/g)?.length ?? 0).toBeLessThan(2);
    expect((await send(5)).status).toBe(200);
  });

  it('that is large holds some of the 32 MiB of its organization until it is answered', async () => {
    const own = { 'organization-id': randomUUID(), 'content-type': 'a/b' };
    const held = Array.from({ length: 2 }, () => send(MAX_BYTES, { ...own, expects: 'hold' }));
    await eventually(() => waiting === held.length);
    expect((await send(LARGE_BYTES, own)).status).toBe(429);
    expect((await send(1_000, own)).status).toBe(200);
    expect((await send(LARGE_BYTES, { ...own, 'organization-id': randomUUID() })).status).toBe(200);
    release();
    for (const answer of held) expect((await answer).status).toBe(200);
    expect((await send(LARGE_BYTES, own)).status).toBe(200);
  });

  it('holds what has come of it, and not what it announces', async () => {
    const own = { 'organization-id': randomUUID(), 'content-type': 'a/b' };
    const begin = (bytes: number) => {
      const headers = { ...own, 'content-length': String(MAX_BYTES) };
      const client = clientRequest(app.listeningOrigin, { method: 'POST', headers });
      client.on('error', () => undefined).write(Buffer.alloc(bytes));
      return client;
    };
    const slow = Array.from({ length: 4 }, () => begin(LARGE_BYTES));
    await sleep(300);
    expect((await send(MAX_BYTES, own)).status).toBe(200);
    await eventually(async () => {
      slow.push(begin(MAX_BYTES - 1)); // It is refused if another one of these rounds came first.
      return (await send(MAX_BYTES, own)).status === 429;
    });
    for (const client of slow) client.destroy();
    await eventually(async () => (await send(MAX_BYTES, own)).status === 200);
  });

  it('that is small holds some of another 8 MiB of its organization', async () => {
    const own = { 'organization-id': randomUUID(), 'content-type': 'a/b' };
    const held = Array.from({ length: 39 }, () => send(210_000, { ...own, expects: 'hold' }));
    await eventually(() => waiting === held.length);
    expect((await send(210_000, own)).status).toBe(429);
    expect((await send(210_000, { ...own, 'organization-id': randomUUID() })).status).toBe(200);
    release();
    for (const answer of held) expect((await answer).status).toBe(200);
    expect((await send(210_000, own)).status).toBe(200);
  });
});
