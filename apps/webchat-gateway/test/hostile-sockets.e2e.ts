import { setTimeout as sleep } from 'node:timers/promises';
import { connect, server, session, useProcess } from './conversation-service';
import { clientFrame, RawSocket } from './raw-socket';

useProcess();
afterEach(async () => {
  // The process that was started is the one that answers, and others still chat.
  const client = await connect(server, session);
  client.send({ type: 'typing', active: true });
  await client.roundTrip();
  await client.close();
});

const upgrade = () =>
  RawSocket.upgrade(server.url, new URL(session.websocketUrl).pathname, {
    authorization: `Bearer ${session.sessionToken}`,
  });

it('a client that ignores the close frame is disconnected before the test gives up', async () => {
  const raw = await upgrade();
  raw.write(clientFrame('{}', { opcode: 2 }));
  await raw.until((text) => text.includes('Frames must be text'));
  await raw.closed;
});

/** The code of the close frame, which the server sends last. */
function closeCodeOf({ text }: RawSocket): number {
  return Buffer.from(text.slice(text.lastIndexOf('\x88')), 'latin1').readUInt16BE(2);
}

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

  it('is read if there are 64 of them', async () => {
    const raw = await upgrade();
    raw.write(Buffer.concat(parts(64)));
    await raw.until((text) => text.includes('"message.accepted"'));
    raw.reset();
  });

  it('closes the socket with 1008 if there are more', async () => {
    const raw = await upgrade();
    raw.write(Buffer.concat(parts(66)));
    await raw.closed;
    expect(closeCodeOf(raw)).toBe(1008);
  });
});

it.each([
  ['text frames', 1, '{}'],
  ['pings', 9, ''],
  ['pongs', 10, ''],
])('a flood of %s closes the socket with 1008, and is not read further', async (_, opcode, payload) => {
  const raw = await upgrade();
  await raw.until((text) => text.includes('session.ready'));
  const frames = Buffer.concat(Array<Buffer>(20_000).fill(clientFrame(payload, { opcode })));
  for (let i = 0; i < 100 && raw.socket.writableLength === 0; i++) {
    raw.write(frames);
    await sleep(10);
  }
  // What fits into the buffers of the operating system is sent; the rest is not read.
  await sleep(2_000);
  expect(raw.socket.writableLength).toBeGreaterThan(0);
  await raw.closed;
  expect(closeCodeOf(raw)).toBe(1008);
});

it('a client that pings and does not read is answered at the rate of frames', async () => {
  const raw = await upgrade();
  await raw.until((text) => text.includes('session.ready'));
  const before = raw.text.length;
  const startedAt = performance.now();
  raw.socket.pause();
  raw.write(Buffer.concat(Array<Buffer>(4_000).fill(clientFrame('x'.repeat(125), { opcode: 9 }))));
  await sleep(2_000);
  raw.socket.resume();
  await sleep(100);
  // 20 a second of 127 bytes each, also in the two that the time begins and ends in.
  const seconds = (performance.now() - startedAt) / 1_000 + 2;
  expect(raw.text.length - before).toBeLessThanOrEqual(seconds * 20 * 127);
  raw.reset();
});
