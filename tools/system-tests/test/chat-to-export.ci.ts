import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import type { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { eventually, issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { startOwnStores, type OwnStores } from './own-stores';
import { FaultyProxy } from './faulty-proxy';
import { ReplaceableProcess, sendUntilDone } from './replaceable-process';
import { deliveringTo, expectSameChats, isDelivered } from './chat-delivery';
import { databases } from '../src/areas';
import { contactCenter, startBuilt, webchat } from '../src/service-under-test';
import { postJson } from '../src/workloads';
import { seededRandom } from '@cxp/testing';

const CONVERSATIONS = 6;
const KILLS_OF_EACH = 3;

/** Each writes so often at least in a chat: however slow the machine is, processes are killed while they write. */
const LEAST_MESSAGES = 10;

/** Within this time a call is answered 2xx, whichever process is killed meanwhile, in milliseconds. */
const STORED_WITHIN_MS = 60_000;

let stores: OwnStores;
let dataSource: DataSource;
let caller: Caller;
let gateways: ReplaceableProcess[];
let exports: ReplaceableProcess[];
let relay: FaultyProxy;

beforeAll(async () => {
  stores = await startOwnStores(databases);
  dataSource = await openDatabase(stores.postgres.url, [accessDatabase]);
  caller = await issueTestToken(dataSource);
  await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
    caller.organizationId,
  ]);
  const environment = { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url, LOG_LEVEL: 'warn' };
  const two = (service: typeof webchat, settings: Record<string, string> = {}) =>
    Promise.all(
      [0, 1].map(() => ReplaceableProcess.start(() => startBuilt(service, { ...environment, ...settings }))),
    );
  exports = await two(contactCenter);
  let calls = 0;
  relay = await FaultyProxy.before(() => exports[calls++ % 2]!.url);
  gateways = await two(webchat, deliveringTo(relay));
}, 90_000);

afterAll(async () => {
  await Promise.all([...gateways, ...exports].map((process) => process.stop()));
  await relay.close();
  await dataSource.destroy();
  await stores.remove();
});

const post = <Answer>(gateway: ReplaceableProcess, path: string, body: object) =>
  sendUntilDone<Answer>(() => gateway.url, postJson(path, caller, body));

/** One conversation, in which a customer and an agent write until they are stopped. */
async function chat(name: string, isOver: () => boolean): Promise<void> {
  const [first, second] = gateways as [ReplaceableProcess, ReplaceableProcess];
  const session = await post<CreatedSession>(first, '/external/sessions', {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user: { id: name },
  });
  const conversation = `/internal/conversations/${session.conversationId}`;
  const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
  const act = (id: string, action: string) =>
    post(second, `${conversation}/activities`, { id, action, agent });

  const received: string[] = [];
  const customer = new ChatSocket(session, {
    position: { lastEvent: 0 },
    renewToken: () => post(second, '/external/sessions/refresh', { sessionId: session.sessionId }),
    WebSocket: BalancedSocket,
  });
  customer.on('message', ({ message }) => received.push(message.text));
  await act(`${name}-assign`, 'assign');
  let count = 0;
  while (count < LEAST_MESSAGES || !isOver()) {
    count += 1;
    await Promise.all([
      customer.sendMessage(`I say c-${count}`),
      post(gateways[count % 2]!, `${conversation}/messages`, {
        id: `${name}-${count}`,
        senderType: 'agent',
        text: `You say c-${count}`,
      }),
    ]);
    if (count % 5 === 0) await act(`${name}-${count}`, 'human_take_over');
  }
  await act(`${name}-end`, 'end_conversation');
  await eventually(() => received.length >= count * 2, STORED_WITHIN_MS);
  customer.close();
  expect(new Set(received).size).toBe(count * 2);
  expect(received).toHaveLength(count * 2);
}

/** Connects to one gateway after the other, as behind a load balancer. */
class BalancedSocket extends WebSocket {
  private static connections = 0;

  constructor(url: string, protocols: string[]) {
    const gateway = gateways[BalancedSocket.connections++ % gateways.length]!;
    const { pathname, search } = new URL(url);
    super(gateway.url.replace('http', 'ws') + pathname + search, protocols);
  }
}

it('killing gateways and exports at any moment loses and doubles nothing of a chat', async () => {
  const random = seededRandom('kills');
  let isOver = false;
  const chats = Array.from({ length: CONVERSATIONS }, (_, i) => chat(`customer-${i}`, () => isOver));
  for (let i = 0; i < KILLS_OF_EACH; i++) {
    for (const process of [
      gateways[i % 2]!,
      exports[i % 2]!,
      gateways[(i + 1) % 2]!,
      exports[(i + 1) % 2]!,
    ]) {
      await sleep(random() * 300);
      await process.kill();
    }
  }
  isOver = true;
  await Promise.all(chats);

  await eventually(() => isDelivered(dataSource), STORED_WITHIN_MS);

  const [messages, activities, conversations] = await expectSameChats(dataSource);
  expect(conversations).toBe(CONVERSATIONS);
  expect(activities).toBeGreaterThan(2 * CONVERSATIONS);
  expect(messages).toBeGreaterThanOrEqual(LEAST_MESSAGES * CONVERSATIONS);
  console.log(`${messages} messages, ${activities} activities, ${4 * KILLS_OF_EACH} kills`);
  await expectExportedRows();
}, 300_000);

/** The export answers a row for each conversation. */
async function expectExportedRows(): Promise<void> {
  const path = '/external/conversation-sessions?startDate=2000-01-01&endDate=2999-12-31';
  const { status, body } = await send(exports[0]!.url, { method: 'GET', path, headers: caller.headers });
  expect(status).toBe(200);
  const { items } = body as { items: object[] };
  expect(items).toHaveLength(CONVERSATIONS);
  for (const row of items) {
    expect(row).toMatchObject({
      sessionAgentName: 'Ann',
      sessionStartAction: 'assign',
      sessionEndAction: 'end_conversation',
      firstAgentMessageAt: expect.any(String),
    });
  }
}
