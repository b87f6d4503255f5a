import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError } from '../src';
import { ChatEndedError, ChatSocket, type ChatSocketOptions } from '../src/chat';

/** A connection over which a test sends the frames of the server. */
class FakeSocket {
  static latest: FakeSocket;
  static count = 0;
  readonly readyState = 1;
  onmessage!: (event: { data: string }) => void;
  onclose!: (event: { code: number }) => void;
  readonly sent: string[] = [];

  constructor(readonly url: string) {
    FakeSocket.latest = this;
    FakeSocket.count += 1;
  }

  receive(frame: object): void {
    this.onmessage({ data: JSON.stringify(frame) });
  }

  send(frame: string): void {
    this.sent.push(frame);
  }

  close(): void {}
}

const SESSION = { websocketUrl: 'ws://chat', sessionId: 's', sessionToken: 't' };
const open = (options: Partial<ChatSocketOptions> = {}) =>
  new ChatSocket(SESSION, {
    renewToken: () => Promise.resolve(null),
    WebSocket: FakeSocket,
    ...options,
  });

/** What is kept is more than the server has after an erasure, a retention or a restored backup. */
it.each([
  ['before', { lastEvent: 2 }, '?lastEvent=2', 4, [3, 4], [3, 4]],
  ['at', { lastEvent: 4 }, '?lastEvent=4', 4, [5], [5]],
  ['beyond', { lastEvent: 7 }, '?lastEvent=7', 2, [3, 3, 4], [3, 4]],
  ['beyond', { lastEvent: 7 }, '?lastEvent=7', 0, [1, 2], [1, 2]],
  ['without', undefined, '', 4, [5], [5]],
])(
  '%s the last event, a position (%j) continues with the next one of the server',
  (_, position, query, lastEvent, sent, delivered) => {
    const chat = open({ position });
    const events: number[] = [];
    chat.on('message', ({ event }) => events.push(event));
    expect(FakeSocket.latest.url).toBe(`ws://chat${query}`);
    FakeSocket.latest.receive({ type: 'session.ready', lastEvent });
    for (const event of sent) FakeSocket.latest.receive({ type: 'message', event });
    expect(events).toEqual(delivered);
    expect(chat.position).toEqual({ lastEvent: delivered.at(-1) });
    chat.close();
  },
);

/** Closes each connection that is made, as one whose token is refused, until the condition holds. */
async function refuseUntil(condition: () => boolean): Promise<void> {
  for (let refused: FakeSocket | undefined; !condition(); await sleep(10)) {
    if (FakeSocket.latest !== refused) (refused = FakeSocket.latest).onclose({ code: 1006 });
  }
}

it.each<[string, ChatSocketOptions['renewToken']]>([
  ['answers null', () => Promise.resolve(null)],
  ['gets a 404 of A2', () => Promise.reject(new NotFoundError(404, {}, null))],
])('a chat whose session is gone ends, and rejects what waits, when renewToken %s', async (_, renewToken) => {
  const chat = open({ renewToken });
  const ended: string[] = [];
  chat.on('ended', (reason) => ended.push(reason));
  const message = chat.sendMessage('x').catch((error: unknown) => error);
  await refuseUntil(() => ended.length > 0);
  expect([chat.status, ended]).toEqual(['ended', ['session_over']]);
  expect(await message).toBeInstanceOf(ChatEndedError);
});

it('a renewToken that fails, never settles or answers no token is called again, and a chat that got a token goes on', async () => {
  const answers: (() => Promise<{ sessionToken: string }>)[] = [
    () => new Promise(() => undefined),
    () => Promise.reject(new Error('of the network')),
    () => Promise.resolve(undefined as never),
    () => Promise.resolve({ sessionToken: 'next' }),
  ];
  let calls = 0;
  const chat = open({ renewToken: () => answers[calls++]!(), renewalMs: 20 });
  FakeSocket.latest.onclose({ code: 4401 });
  const { count } = FakeSocket;
  while (FakeSocket.count === count) await sleep(10);
  expect(calls).toBe(4);
  FakeSocket.latest.receive({ type: 'session.ready', lastEvent: 0 });
  expect(chat.status).toBe('open');
  chat.close();
});

it('a WebSocket that can not be made is thrown by the first connection, and is a lost connection later', async () => {
  let fails = true;
  class FailingSocket extends FakeSocket {
    constructor(url: string) {
      if (fails) throw new SyntaxError('no URL');
      super(url);
    }
  }
  expect(() => open({ WebSocket: FailingSocket })).toThrow('no URL');
  fails = false;
  const chat = open({ WebSocket: FailingSocket, renewToken: () => Promise.reject(new Error('later')) });
  const first = FakeSocket.latest;
  fails = true;
  first.onclose({ code: 1006 });
  await sleep(600);
  expect(chat.status).toBe('connecting');
  fails = false;
  while (FakeSocket.latest === first) await sleep(10);
  chat.close();
});

it.each(['', ' \n', '\u200b', '\u0085\u2060'])(
  'a message that nobody can see is refused: %j',
  async (text) => {
    await expect(open().sendMessage(text)).rejects.toThrow('is not blank');
  },
);

it('nothing is sent after the chat has ended: a message and a rating are refused', async () => {
  const chat = open();
  chat.close();
  await expect(chat.sendMessage('x')).rejects.toThrow(ChatEndedError);
  await expect(chat.rate({ rating: 5 })).rejects.toThrow(ChatEndedError);
});

it('a listener that throws keeps neither a message from being sent nor a connection from being made again', async () => {
  const chat = open();
  chat.on('status', () => {
    throw new Error('of the listener');
  });
  const first = FakeSocket.latest;
  const refused = chat.sendMessage('x').catch((error: unknown) => error);
  expect(() => first.receive({ type: 'session.ready', lastEvent: 0 })).toThrow('of the listener');
  expect(first.sent.join()).toContain('message.send');
  expect(() => first.onclose({ code: 1006 })).toThrow('of the listener');
  while (FakeSocket.latest === first) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(() => chat.close()).toThrow('of the listener');
  expect(await refused).toBeInstanceOf(ChatEndedError);
});
