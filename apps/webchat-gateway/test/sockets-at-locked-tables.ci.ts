import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import type { QueryRunner } from 'typeorm';
import { type Caller, eventually, REAL_DEADLINE_MS, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { SocketServer } from '../src/sockets/socket-server';
import { ChatClient } from './chat-client';
import {
  connect,
  connectMany,
  openSession,
  postToConversation,
  socketUrl,
  type OpenedSession,
} from './conversation-service';
import { createSession, refreshSession, startWebchat, webchatCaller } from './webchat-service';

/** More than the pool has connections. */
const SOCKETS = 24;
const LOCKED_MS = 2_500;
/** Connections of an organization: half of those of a process. */
const MAX_AT_ONCE = 5;

let service: TestService;
let victim: Caller;
let other: Caller;
let session: OpenedSession;
let otherSession: OpenedSession;
let lock: QueryRunner;

beforeAll(async () => {
  service = await startWebchat({
    WEBCHAT_SOCKETS_PER_SESSION: String(SOCKETS),
    CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
  });
  [victim, other] = [await webchatCaller(service), await webchatCaller(service)];
  session = await openSession(service, victim, { id: 'u' });
  otherSession = await openSession(service, other, { id: 'u' });
  lock = service.dataSource.createQueryRunner();
  await lock.connect();
});
afterAll(async () => {
  await lock.release();
  await service.stop();
});

async function whileLocked(use: () => Promise<void>): Promise<void> {
  await lock.startTransaction();
  try {
    await lock.query('LOCK TABLE webchat.event');
    await use();
  } finally {
    await lock.rollbackTransaction();
  }
}

/** Other organizations' calls, which need other tables. */
async function expectOthersServed(): Promise<void> {
  const end = performance.now() + LOCKED_MS;
  while (performance.now() < end) {
    await createSession(service, other, { id: `new-${end}` }).expect(201);
    await refreshSession(service, other, otherSession.sessionId).expect(200);
    await sleep(50);
  }
}

async function expectNoneWaiting(): Promise<void> {
  await eventually(async () => (await statementsThatWait(service.dataSource)).length === 0);
}

it('sockets whose messages, or whose resumption, wait for a locked table are answered in time, and keep nobody else out', async () => {
  const clients = await connectMany(service, session, SOCKETS);
  const resumed = await openSession(service, victim, { id: 'v' });
  await whileLocked(async () => {
    clients.forEach((client, i) => client.sendMessage(`c-${i}`));
    const { sessionToken } = resumed;
    const resuming = await Promise.all(
      Array.from({ length: SOCKETS }, () =>
        ChatClient.open(socketUrl(service, resumed), { sessionToken, lastEvent: 0 }),
      ),
    );
    await expectOthersServed();
    for (const client of clients) expect(await client.next('error')).toMatchObject({ code: 'try_again' });
    for (const client of resuming) {
      expect(await client.closed).toEqual([1013, 'Not available; connect again later']);
    }
    await expectNoneWaiting();
  });
  for (const client of clients) {
    client.sendMessage('again');
    await client.next('message.accepted');
    await client.close();
  }
  const client = await connect(service, session, { lastEvent: 0 });
  await client.next('message');
  await client.close();
});

it('pages that read the history are answered 503 in time, and keep nobody else out', async () => {
  const { conversationId, sessionToken } = session;
  const history = () =>
    request(service.url)
      .get(`/external/conversations/${conversationId}/events`)
      .set('authorization', `Bearer ${sessionToken}`);
  await whileLocked(async () => {
    let isOver = false;
    const reading = Array.from({ length: SOCKETS }, async () => {
      while (!isOver) await history().expect(503);
    });
    await eventually(async () => (await statementsThatWait(service.dataSource)).length === MAX_AT_ONCE);
    await expectOthersServed();
    expect((await statementsThatWait(service.dataSource)).length).toBeLessThanOrEqual(MAX_AT_ONCE);
    isOver = true;
    await Promise.all(reading);
    await expectNoneWaiting();
  });
  await history().expect(200);
});

it('sockets that missed an event get it after the lock, stay open, and keep nobody else out', async () => {
  const clients = await connectMany(service, session, SOCKETS);
  const silenced = jest.spyOn(service.redis, 'publish').mockResolvedValue(0);
  await postToConversation(service, victim, session.conversationId, 'read', { upTo: 1 }).expect(204);
  silenced.mockRestore();
  const lookForLostEvents = () => service.app.get(SocketServer).deliverLostEvents();
  await whileLocked(async () => {
    await lookForLostEvents();
    await expectOthersServed();
  });
  await lookForLostEvents();
  for (const client of clients) {
    expect(await client.next('read')).toMatchObject({ reader: 'agent', upTo: 1 });
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await client.close();
  }
});
