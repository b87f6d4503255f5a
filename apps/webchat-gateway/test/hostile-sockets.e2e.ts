import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { encodeLiveEvent, liveChannel } from '../src/live/live-event';
import { ChatClient } from './chat-client';
import { connect, openSession, socketUrl, type OpenedSession } from './conversation-service';
import { clientFrame, RawSocket, upgradeRequest } from './raw-socket';
import { startWebchat, webchatCaller } from './webchat-service';

/** A socket that may stay is not closed by then either. */
const CLOSED_WITHIN_MS = 30_000;

/** Brings the stores; the process under attack is a real one, which may end. */
let stores: TestService;
let service: ServiceProcess;
let caller: Caller;
let session: OpenedSession;
let path: string;

beforeAll(async () => {
  stores = await startWebchat();
  service = await startService({
    entry: 'dist/apps/webchat-gateway/main.js',
    portVariable: 'WEBCHAT_PORT',
    env: { ...stores.environment },
  });
  caller = await webchatCaller(stores);
  session = await openSession(service, caller, { id: 'u' });
  path = new URL(session.websocketUrl).pathname;
});
afterAll(async () => {
  await service.stop();
  await stores.stop();
});
afterEach(async () => {
  // The process that was started is the one that answers, and others still chat.
  const client = await connect(service, session);
  client.send({ type: 'typing', active: true });
  await client.roundTrip();
  await client.close();
});

const NESTED = `{"type":"typing","active":true,"x":${'['.repeat(1_800)}${']'.repeat(1_800)}}`;

describe('a frame that is nested 1,800 deep', () => {
  it('closes a socket that is not authenticated, with 4400', async () => {
    const client = await ChatClient.open(socketUrl(service, session));
    client.send(NESTED);
    expect((await client.closed)[0]).toBe(4400);
  });

  it('is an invalid frame of one that is', async () => {
    const client = await connect(service, session);
    client.send(NESTED);
    expect(await client.next('error')).toMatchObject({ code: 'invalid_frame' });
    await client.close();
  });
});

describe('a connection that is reset', () => {
  it.each(['/', '/sessions', '/external/sessions', '/sessions/a/b'])(
    'after an upgrade to a path without sockets ends nothing else: %s',
    async (elsewhere) => {
      for (let i = 0; i < 10; i++) {
        const raw = await RawSocket.open(service.url);
        raw.write(upgradeRequest(elsewhere));
        raw.reset();
      }
    },
  );

  it('after an upgrade, or while it is answered, ends nothing else', async () => {
    for (let i = 0; i < 10; i++) {
      const raw = await RawSocket.open(service.url);
      raw.write(upgradeRequest(path));
      if (i % 2) await raw.until((text) => text.includes('\r\n\r\n'));
      raw.reset();
    }
  });
});

it('a client that ignores the close frame is disconnected before the test gives up', async () => {
  const raw = await RawSocket.upgrade(service.url, path);
  raw.write(clientFrame('not a token'));
  await raw.until((text) => text.includes('The session token is missing'));
  await raw.closed;
});

/** The code and the reason of the close frame, which the server sends last. */
function closeFrameOf({ text }: RawSocket): [code: number, reason: string] {
  const frame = Buffer.from(text.slice(text.lastIndexOf('\x88')), 'latin1');
  return [frame.readUInt16BE(2), frame.subarray(4).toString()];
}

describe('a socket without a token', () => {
  const NOT_AUTHENTICATED = [4400, 'The session token is missing or not valid'];

  it.each([
    ['one frame that is not complete', [clientFrame('x'.repeat(40_000), { fin: false })]],
    ['a frame that never ends', [clientFrame('x'.repeat(60_000)).subarray(0, 40_000)]],
    ['control frames', Array<Buffer>(150).fill(clientFrame('x'.repeat(125), { opcode: 10 }))],
  ])('may send 16 KiB, and is closed for more: %s', async (_, bytes) => {
    const raw = await RawSocket.upgrade(service.url, path);
    for (const each of bytes) raw.write(each);
    await Promise.race([raw.closed, sleep(CLOSED_WITHIN_MS, undefined, { ref: false })]);
    expect(closeFrameOf(raw)).toEqual(NOT_AUTHENTICATED);
  });
});

describe('a message in parts', () => {
  const parts = (count: number) => {
    const text = JSON.stringify({
      type: 'message.send',
      clientId: `in ${count} parts`,
      text: 'x'.repeat(count),
    });
    return Array.from({ length: count }, (_, i) => {
      const isLast = i === count - 1;
      return clientFrame(isLast ? text.slice(i) : text[i]!, { opcode: i === 0 ? 1 : 0, fin: isLast });
    });
  };
  const open = () =>
    RawSocket.upgrade(service.url, path, { authorization: `Bearer ${session.sessionToken}` });

  it('is read if there are 64 of them', async () => {
    const raw = await open();
    raw.write(Buffer.concat(parts(64)));
    await raw.until((text) => text.includes('"message.accepted"'));
    raw.reset();
  });

  it('closes the socket with 1008 if there are more', async () => {
    const raw = await open();
    raw.write(Buffer.concat(parts(66)));
    await raw.closed;
    expect(closeFrameOf(raw)[0]).toBe(1008);
  });
});

describe('a flood of control frames', () => {
  /** 4,000 a second, over two seconds: a second of the clock begins somewhere in them. */
  async function flood(opcode: number): Promise<RawSocket> {
    const raw = await RawSocket.upgrade(service.url, path, {
      authorization: `Bearer ${session.sessionToken}`,
    });
    await raw.until((text) => text.includes('session.ready'));
    for (let i = 0; i < 40 && !raw.socket.destroyed; i++) {
      raw.write(Buffer.concat(Array<Buffer>(200).fill(clientFrame('', { opcode }))));
      await Promise.race([raw.closed, sleep(50)]);
    }
    await Promise.race([raw.closed, sleep(CLOSED_WITHIN_MS, undefined, { ref: false })]);
    return raw;
  }

  it('of pings ends the connection', async () => {
    expect((await flood(9)).socket.destroyed).toBe(true);
  });

  it('of pongs that nobody asked for closes the socket with 4429', async () => {
    expect(closeFrameOf(await flood(10))).toEqual([4429, 'Too many frames']);
  });
});

it('a client that pings and does not read is not sent more answers than fit into the connection', async () => {
  const raw = await RawSocket.upgrade(service.url, path, { authorization: `Bearer ${session.sessionToken}` });
  await raw.until((text) => text.includes('session.ready'));
  raw.socket.pause();
  for (let i = 0; i < 80; i++) {
    raw.write(Buffer.concat(Array<Buffer>(40).fill(clientFrame('x'.repeat(125), { opcode: 9 }))));
    await sleep(50);
  }
  raw.socket.resume();
  await sleep(500);
  expect(raw.socket.destroyed).toBe(false);
  expect(raw.text.length).toBeLessThan(70_000);
  raw.reset();
});

describe('a client that stops reading and forges pongs', () => {
  const FRAME_BYTES = 16_000;
  const typing = { type: 'typing', senderType: 'agent', senderName: 'x'.repeat(FRAME_BYTES), active: true };
  const signal = encodeLiveEvent({ kind: 'signal', frame: JSON.stringify(typing) });

  /** Of the last ping that came, which was answered before. */
  function answeredPing({ text }: RawSocket): string {
    const ping = text.slice(text.lastIndexOf('\x89'));
    return ping.slice(2, 2 + ping.charCodeAt(1));
  }

  it.each<[string, (raw: RawSocket, frames: number) => string]>([
    ['that name what was sent', (_, frames) => String(frames * FRAME_BYTES)],
    ['that answer a ping again', (raw) => answeredPing(raw)],
    ['of nothing', () => ''],
  ])('%s is closed with 4430', async (_, forged) => {
    const raw = await RawSocket.upgrade(service.url, path, {
      authorization: `Bearer ${session.sessionToken}`,
    });
    await raw.until((text) => text.includes('session.ready'));
    const witness = await connect(service, session);
    const pong = (payload: string) => raw.write(clientFrame(payload, { opcode: 10 }));
    const publish = async () => {
      await stores.redis.publish(liveChannel(caller.organizationId, session.conversationId), signal);
      await witness.next('typing');
    };
    for (let frames = 1; frames <= 3; frames++) await publish();
    await raw.until((text) => text.includes('\x89'));
    pong(answeredPing(raw));

    raw.socket.pause();
    for (let frames = 4; frames <= 90; frames++) {
      await publish();
      pong(forged(raw, frames));
    }
    raw.socket.resume();
    await Promise.race([raw.closed, sleep(CLOSED_WITHIN_MS, undefined, { ref: false })]);
    expect(closeFrameOf(raw)[0]).toBe(4430);
    await witness.close();
  });
});
