import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { eventually, REAL_DEADLINE_MS, type Caller, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import type { ChatClient } from './chat-client';
import { connectMany, openSession } from './conversation-service';
import { createSession, startWebchat, webchatCaller } from './webchat-service';

const SESSIONS = 4;
const SOCKETS_OF_A_SESSION = 10;
/** `DATABASE_POOL_SIZE`, and the share of an organization. */
const CONNECTIONS = 10;
const SHARE = 5;
const CALLS = 40;

let service: TestService;
let crowded: Caller;
let other: Caller;
let lock: QueryRunner;
let clients: ChatClient[];
let quietMs: number;

beforeAll(async () => {
  service = await startWebchat({
    CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    WEBCHAT_SOCKETS_PER_SESSION: String(SOCKETS_OF_A_SESSION),
  });
  [crowded, other] = [await webchatCaller(service), await webchatCaller(service)];
  lock = service.dataSource.createQueryRunner();
  await lock.connect();
  clients = [];
  for (let i = 0; i < SESSIONS; i++) {
    const session = await openSession(service, crowded, { id: `u-${i}` });
    clients.push(...(await connectMany(service, session, SOCKETS_OF_A_SESSION)));
  }
  await callOther('warm');
  quietMs = p95(await callOther('quiet'));
}, 60_000);
afterAll(async () => {
  for (const client of clients) await client.close();
  await lock.release();
  await service.stop();
});

/** A1 of the other organization, one call after the other. @returns how long each took, in milliseconds */
async function callOther(name: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    await createSession(service, other, { id: `${name}-${i}` }).expect(201);
    times.push(performance.now() - start);
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

const message = (clientId: string) => ({ type: 'message.send', clientId, text: 'Hello' });

it.each([
  [
    'whose conversations are locked',
    'SELECT FROM webchat.conversation WHERE organization_id = $1 FOR UPDATE',
  ],
  ['whose table is locked', 'LOCK TABLE webchat.event'],
])(
  'sockets of an organization %s leave half of the connections to the others',
  async (_, sql) => {
    await lock.startTransaction();
    await lock.query(sql, sql.includes('$1') ? [crowded.organizationId] : []);
    let sent = 0;
    const stop = keepSending(() => message(`locked-${_}-${sent++}`));
    const most: number[] = [];
    await eventually(async () => (await statementsThatWait(service.dataSource)).length > 0);
    const served = expectOtherServed(_);
    const watch = setInterval(
      () => void statementsThatWait(service.dataSource).then(({ length }) => most.push(length)),
      100,
    );
    await served.finally(async () => {
      clearInterval(watch);
      await lock.rollbackTransaction();
      await stop();
    });
    expect(Math.max(...most)).toBeLessThanOrEqual(SHARE);
  },
  60_000,
);

it('sockets that repeat what is stored leave half of the connections to the others', async () => {
  for (const [socket, client] of clients.entries()) {
    client.send(message(`known-${socket}`));
    await client.next('message.accepted');
  }
  const stop = keepSending((socket) => message(`known-${socket}`));
  await expectOtherServed('repeated').finally(stop);
}, 60_000);
