import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { eventually, REAL_DEADLINE_MS, type Caller, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { LivePublisher } from '../src/live/live-events';
import { SocketServer } from '../src/sockets/socket-server';
import { ChatClient } from './chat-client';
import {
  connectMany,
  openSession,
  postToConversation,
  socketUrl,
  type OpenedSession,
} from './conversation-service';
import { createSession, refreshSession, startWebchat, webchatCaller, whileLocked } from './webchat-service';

const SESSIONS = 4;
const SOCKETS_OF_A_SESSION = 10;
/** `DATABASE_POOL_SIZE`, and the share of an organization. */
const CONNECTIONS = 10;
const SHARE = 5;
const CALLS = 40;
const LOCK_EVENTS = 'LOCK TABLE webchat.event';

let service: TestService;
let crowded: Caller;
let other: Caller;
let sessions: OpenedSession[];
let otherSession: OpenedSession;
let clients: ChatClient[];
let quietMs: number;

beforeAll(async () => {
  service = await startWebchat({
    CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    WEBCHAT_SOCKETS_PER_SESSION: String(2 * SOCKETS_OF_A_SESSION),
  });
  [crowded, other] = [await webchatCaller(service), await webchatCaller(service)];
  otherSession = await openSession(service, other, { id: 'u' });
  [sessions, clients] = [[], []];
  for (let i = 0; i < SESSIONS; i++) {
    const session = await openSession(service, crowded, { id: `u-${i}` });
    sessions.push(session);
    clients.push(...(await connectMany(service, session, SOCKETS_OF_A_SESSION)));
  }
  await callOther('warm');
  quietMs = p95(await callOther('quiet'));
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await service.stop();
});

/** Calls of the other organization, one after the other. @returns how long each A1 took, in milliseconds */
async function callOther(name: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    await createSession(service, other, { id: `${name}-${i}` }).expect(201);
    times.push(performance.now() - start);
    await refreshSession(service, other, otherSession.sessionId).expect(200);
    await sleep(20);
  }
  return times;
}

function p95(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

/** Sends a frame over each socket, and another one as soon as it is answered. @returns ends it */
function keepSending(frameOf: (socket: number) => object): () => Promise<void> {
  let isOver = false;
  const sending = clients.map(async (client, socket) => {
    while (!isOver) {
      const answered = client.frames.length;
      client.send(frameOf(socket));
      await eventually(() => client.frames.length > answered);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(sending);
  };
}

async function expectOtherServed(name: string): Promise<void> {
  expect(p95(await callOther(name))).toBeLessThan(2 * quietMs + 200);
}

/** The other organization is served, and the crowded one waits with its share of the connections at most. */
async function expectShared(name: string): Promise<void> {
  await eventually(async () => (await statementsThatWait(service.dataSource)).length > 0);
  const most: number[] = [];
  const watch = setInterval(
    () => void statementsThatWait(service.dataSource).then(({ length }) => most.push(length)),
    100,
  );
  await expectOtherServed(name).finally(() => clearInterval(watch));
  expect(Math.max(...most)).toBeLessThanOrEqual(SHARE);
}

const message = (clientId: string) => ({ type: 'message.send', clientId, text: 'Hello' });

it('sockets whose conversations are locked leave half of the connections to the others', async () => {
  const sql = 'SELECT FROM webchat.conversation WHERE organization_id = $1 FOR UPDATE';
  let sent = 0;
  let stop = async () => {};
  await whileLocked(service, sql, [crowded.organizationId], async () => {
    stop = keepSending(() => message(`locked-${sent++}`));
    await expectShared('locked');
  }).finally(() => stop());
});

it('sockets that repeat what is stored leave half of the connections to the others', async () => {
  for (const [socket, client] of clients.entries()) {
    client.send(message(`known-${socket}`));
    await client.next('message.accepted');
  }
  const stop = keepSending((socket) => message(`known-${socket}`));
  await expectOtherServed('repeated').finally(stop);
});

it('messages and resumptions that wait for a locked table are answered in time, and keep nobody else out', async () => {
  await whileLocked(service, LOCK_EVENTS, [], async () => {
    clients.forEach((client, i) => client.sendMessage(`c-${i}`));
    const resuming = await Promise.all(
      sessions.map((session) =>
        ChatClient.open(socketUrl(service, session), { sessionToken: session.sessionToken, lastEvent: 0 }),
      ),
    );
    await expectShared('table');
    for (const client of clients) expect(await client.next('error')).toMatchObject({ code: 'try_again' });
    for (const client of resuming) {
      expect(await client.closed).toEqual([1013, 'Not available; connect again later']);
    }
  });
  for (const [i, client] of clients.entries()) {
    client.sendMessage(`c-${i}`);
    await client.next('message.accepted');
  }
});

it('pages that read the history are answered 503 in time, and keep nobody else out', async () => {
  const { conversationId, sessionToken } = sessions[0]!;
  const history = () =>
    request(service.url)
      .get(`/external/conversations/${conversationId}/events`)
      .set('authorization', `Bearer ${sessionToken}`);
  await whileLocked(service, LOCK_EVENTS, [], async () => {
    let isOver = false;
    const reading = Array.from({ length: 2 * CONNECTIONS }, async () => {
      while (!isOver) await history().expect(503);
    });
    await expectShared('history').finally(() => (isOver = true));
    await Promise.all(reading);
  });
  await history().expect(200);
});

it('sockets that missed an event get it after the lock, and keep nobody else out', async () => {
  const [{ conversationId }] = sessions as [OpenedSession];
  const own = clients.slice(0, SOCKETS_OF_A_SESSION);
  const silenced = jest.spyOn(service.app.get(LivePublisher), 'publishEvent').mockReturnValue();
  await postToConversation(service, crowded, conversationId, 'read', { upTo: 1 }).expect(204);
  silenced.mockRestore();
  const lookForLostEvents = () => service.app.get(SocketServer).deliverLostEvents();
  await whileLocked(service, LOCK_EVENTS, [], async () => {
    await lookForLostEvents();
    await expectShared('lost');
  });
  await lookForLostEvents();
  for (const client of own) expect(await client.next('read')).toMatchObject({ reader: 'agent', upTo: 1 });
});
