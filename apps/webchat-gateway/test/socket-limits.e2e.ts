import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@cxp/service-kit/testing';
import { startRedis } from '@cxp/testing/local-servers';
import { ConversationRepository } from '../src/conversations/conversation.repository';
import { LivePublisher } from '../src/live/live-events';
import { ChatSocket } from '../src/sockets/chat-socket';
import { ChatSocketHandler, OPENINGS_AT_ONCE } from '../src/sockets/chat-socket.handler';
import { MAX_SOCKETS, MAX_SOCKETS_OF_ORGANIZATION, SocketServer } from '../src/sockets/socket-server';
import { ChatClient } from './chat-client';
import {
  agentMessage,
  connect,
  elsewhere,
  open,
  type OpenedSession,
  openSession,
  post,
  sendWithUpgrade,
  session,
  socketUrl,
  storeMessages,
  useTwoProcesses,
} from './conversation-service';
import { clientFrame, RawSocket, upgradeRequest } from './raw-socket';
import { caller, service, startBeside, startWebchat, webchatCaller } from './webchat-service';

useTwoProcesses(() => ({ WEBCHAT_SOCKETS_PER_SESSION: '3', WEBCHAT_SOCKET_FRAMES_PER_SEC: '4' }));

/** Counts turns of the event loop. */
function eventLoopTurns(): { now: () => number; stop: () => void } {
  let turn = 0;
  const next = () => {
    turn += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  return { now: () => turn, stop: () => clearImmediate(immediate) };
}

describe('a socket', () => {
  it('is closed with 1009 for a frame that is longer than any of the protocol', async () => {
    const client = await open();
    client.send(JSON.stringify({ type: 'typing', active: true, padding: 'x'.repeat(48 * 1_024) }));
    expect((await client.closed)[0]).toBe(1009);
  });

  it('takes the longest message with every character escaped', async () => {
    const client = await open();
    const [clientId, text] = [64, 4_000].map((length) => '\\ud83d\\ude00'.repeat(length));
    client.send(`{"type":"message.send","clientId":"${clientId}","text":"${text}"}`);
    await client.next('message.accepted');
    await client.close();
  });

  it('is closed with 1003 for a binary frame', async () => {
    const client = await open();
    client.socket.send(Buffer.from('{}'));
    expect(await client.closed).toEqual([1003, 'Frames must be text']);
  });

  it('whose session sends more frames than it may is read at its rate: nothing is refused, nothing is lost', async () => {
    const clients = [await open(), await open()];
    const startedAt = Date.now();
    for (let i = 1; i <= 11; i++) clients[i % 2]!.sendMessage(`c-${i}`);
    for (let i = 1; i <= 11; i++) {
      expect(await clients[i % 2]!.next('message.accepted')).toMatchObject({ clientId: `c-${i}` });
    }
    // Four at once, and four a second later; the others after that.
    expect(Date.now() - startedAt).toBeGreaterThan(1_900);
  });

  it('that says nothing for 30 seconds is asked, and cut off when it does not answer for 30 more, also by a clock that was set back', async () => {
    const [client, dead] = [await open(), await open({ autoPong: false })];
    const { app } = service;
    const tickIn = (seconds: number) => app.get(SocketServer).tick(seconds * 1_000);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000);
    tickIn(31);
    clock.mockRestore();
    await Promise.all([client.roundTrip(), dead.roundTrip()]);
    expect([client.pings, dead.pings]).toEqual([1, 1]);
    // The answer to the server's ping has come, too.
    await client.roundTrip();
    tickIn(62);
    expect((await dead.closed)[0]).toBe(1006);
    await client.roundTrip();
    expect(client.pings).toBe(2);
    await client.close();
  });
});

it('of small frames that come in one piece, others go on between two of them', async () => {
  const raw = await RawSocket.upgrade(service.url, new URL(session.websocketUrl).pathname, {
    authorization: `Bearer ${session.sessionToken}`,
  });
  await raw.until((text) => text.includes('session.ready'));
  const turn = eventLoopTurns();
  const turns: number[] = [];
  const receive = jest
    .spyOn(ChatSocket.prototype, 'actOnWaiting')
    .mockImplementation(() => void turns.push(turn.now()));
  raw.write(Buffer.concat(Array<Buffer>(500).fill(clientFrame('x'))));
  await eventually(() => turns.length >= 500);
  turn.stop();
  receive.mockRestore();
  expect(new Set(turns).size).toBe(500);
  raw.reset();
});

describe('sockets leave connections to requests and to other organizations:', () => {
  it.each([
    ['of all', 'others', MAX_SOCKETS],
    ['of an organization', 'own', MAX_SOCKETS_OF_ORGANIZATION],
  ])('one more than the most %s is refused with 503 before it opens', async (_, whose, most) => {
    const { organizations } = service.app.get(SocketServer);
    const key = whose === 'own' ? caller.organizationId : 'others';
    const another = await openSession(service, await webchatCaller(service));
    const upgrade = async ({ sessionToken, websocketUrl }: OpenedSession) =>
      (
        await RawSocket.upgrade(service.url, new URL(websocketUrl).pathname, {
          authorization: `Bearer ${sessionToken}`,
        })
      ).text;
    const before = organizations.size;
    while (organizations.size < before + most - 1) organizations.join(key);
    await (await open()).close();
    organizations.join(key);
    expect(await upgrade(session)).toMatch(/^HTTP\/1.1 503 [^]*\r\nRetry-After: 5\r\n[^]*"statusCode":503/i);
    expect(await upgrade(another)).toMatch(whose === 'own' ? /^HTTP\/1.1 101/ : /^HTTP\/1.1 503/);
    while (organizations.sizeOf(key) > 0) organizations.leave(key, { actOnWaiting: () => undefined });
    await (await open()).close();
  });
});

describe('a session may have so many sockets in a process', () => {
  it('and the oldest makes room for one too many, with 4409', async () => {
    const oldest = await open();
    const others = [await open(), await open(), await open({}, elsewhere)];
    const newest = await open();
    expect(await oldest.closed).toEqual([4409, 'Newer sockets of the session took its place']);
    await post('messages', agentMessage('m-1'));
    for (const client of [...others, newest]) {
      await client.next('message');
      await client.close();
    }
  });

  it('and twice as many that do not answer their close; others are refused with 503 before they open', async () => {
    const upgrade = () =>
      RawSocket.upgrade(service.url, new URL(session.websocketUrl).pathname, {
        authorization: `Bearer ${session.sessionToken}`,
      });
    const silent = [];
    for (let i = 0; i < 6; i++) silent.push(await upgrade());
    await silent[5]!.until((text) => text.includes('session.ready'));
    expect((await upgrade()).text).toMatch(/^HTTP\/1.1 503 [^]*\r\nRetry-After: 5\r\n/i);
    for (const raw of silent) raw.reset();
    await eventually(() => service.app.get(SocketServer).organizations.sizeOf(caller.organizationId) === 0);
  });

  it('and those that are closed, or of other sessions, do not count', async () => {
    for (let i = 0; i < 5; i++) await (await open()).close();
    const other = await openSession(service, caller, { id: 'other' });
    const clients = [await open(), await open(), await open(), await connect(service, other)];
    for (const client of clients) {
      await client.roundTrip();
      await client.close();
    }
  });
});

it('sockets of an organization that all come back at once are let in one by one, and opened a few at a time', async () => {
  const conversations = service.app.get(ConversationRepository);
  const read = conversations.state.bind(conversations);
  let opening = 0;
  let goOn = () => undefined as void;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  jest.spyOn(conversations, 'state').mockImplementation(async (...of) => {
    opening += 1;
    await held;
    return read(...of);
  });
  const ids = Array.from({ length: 2 * OPENINGS_AT_ONCE }, (_, n) => `u-${n}`);
  const sessions = await Promise.all(ids.map((id) => openSession(service, caller, { id })));
  const { organizations } = service.app.get(SocketServer);
  const turn = eventLoopTurns();
  const turns: number[] = [];
  const handler = service.app.get(ChatSocketHandler);
  const verify = handler.verify.bind(handler);
  jest.spyOn(handler, 'verify').mockImplementation((...of) => {
    turns.push(turn.now());
    return verify(...of);
  });
  const clients = await Promise.all(sessions.map(() => RawSocket.open(service.url)));
  // The process accepts one connection in a turn, but reads all of them.
  await sleep(200);
  for (const [n, { websocketUrl, sessionToken }] of sessions.entries()) {
    const { pathname } = new URL(websocketUrl);
    clients[n]!.write(upgradeRequest(pathname, { authorization: `Bearer ${sessionToken}` }));
  }
  await eventually(() => organizations.sizeOf(caller.organizationId) === sessions.length);
  turn.stop();
  expect([turns.length, new Set(turns).size]).toEqual([sessions.length, sessions.length]);
  await eventually(() => opening === OPENINGS_AT_ONCE);
  // One more would have come by then.
  await sleep(200);
  expect(opening).toBe(OPENINGS_AT_ONCE);
  goOn();
  for (const client of clients) {
    await client.until((text) => text.includes('session.ready'));
    client.reset();
  }
});

describe('a client that does not read', () => {
  const postMessage = (id: string) => post('messages', agentMessage(id)).expect(200);

  /** Sends to the conversation's sockets more than the operating system takes for a client that does not read, and a MiB. */
  const flood = async (witness: ChatClient) => {
    const typing = { senderType: 'agent', senderName: 'x'.repeat(64_000), active: true } as const;
    const live = service.app.get(LivePublisher);
    for (let i = 0; i < 200; i++) {
      live.publishTyping(caller.organizationId, session.conversationId, typing);
      if (i % 10 === 9) await witness.roundTrip();
    }
  };
  it('is closed with 4430 when 1 MiB waits for it, and goes on where it stopped', async () => {
    const [client, witness] = [await open(), await open()];
    await postMessage('m-1');
    await client.next('message');
    client.socket.pause();
    await flood(witness);
    await postMessage('m-2');
    await witness.nextMessages(2);
    client.socket.resume();
    expect(await client.closed).toEqual([4430, 'Frames are not read fast enough; connect again to go on']);
    expect(client.received('message')).toHaveLength(1);

    const again = await open({ lastEvent: 1 });
    expect((await again.next('message')).message.id).toBe('m-2');
    await Promise.all([again.close(), witness.close()]);
  });

  it('delays its own history only', async () => {
    await storeMessages(service, caller, session.conversationId, 2_000);
    const client = await open({ lastEvent: 0 });
    client.socket.pause();
    const witness = await open();
    for (let i = 1; i <= 5; i++) await postMessage(`m-${i}`);
    await witness.nextMessages(5);
    client.socket.resume();
    await client.untilEvent(2_005);
    expect(client.events.map(({ event }) => event)).toEqual(client.events.map((_, i) => i + 1));
    await Promise.all([client.close(), witness.close()]);
  });
});

it('a session may open as many sockets as it may make calls, and the next one is closed with 1013: none of its frames is acted on', async () => {
  const limited = await startBeside(service, { EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '3' });
  try {
    for (let i = 0; i < 3; i++) await (await open({}, limited)).close();
    const { sessionToken } = session;
    const refused = await ChatClient.open(socketUrl(limited, session), { sessionToken });
    expect((await refused.closed)[0]).toBe(1013);
    expect(await sendWithUpgrade(limited, session, 'Not available; connect again later')).toBe(0);
    const another = await openSession(service, caller, { id: 'another' });
    await (await connect(limited, another)).close();
  } finally {
    await limited.stop();
  }
});

it('close codes of clients are counted as one', async () => {
  for (const code of [4_777, 4_778, 3_000]) {
    const client = await open();
    client.socket.close(code);
    await client.closed;
  }
  const series = async () =>
    [
      ...(await (await fetch(`${service.url}/metrics`)).text()).matchAll(
        /sockets_closed_total\{.*code="(\w+)"/g,
      ),
    ].map(([, code]) => code!);
  await eventually(async () => (await series()).includes('other'));
  expect((await series()).filter((code) => /^4777|4778|3000$/.test(code))).toEqual([]);
});

it('while live events can not be subscribed to, a socket is closed with 1013 and not kept waiting', async () => {
  const redis = await startRedis();
  const own = await startWebchat({ REDIS_URL: redis.url });
  const ownSession = await openSession(own, await webchatCaller(own));
  await connect(own, ownSession);
  // The connection for subscriptions is lost, and Redis accepts no other.
  await own.redis.config('SET', 'maxclients', 1);
  await own.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const { sessionToken } = ownSession;
  const refused = await ChatClient.open(socketUrl(own, ownSession), { sessionToken });
  expect(await refused.closed).toEqual([1013, 'Not available; connect again later']);
  await own.redis.config('SET', 'maxclients', 100);
  await eventually(async () => {
    const client = await ChatClient.open(socketUrl(own, ownSession), { sessionToken });
    const isReady = await client.next('session.ready').then(
      () => true,
      () => false,
    );
    client.socket.close();
    return isReady;
  });
  await own.stop();
  await redis.stop();
}, 30_000);
