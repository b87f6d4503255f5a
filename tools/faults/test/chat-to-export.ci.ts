import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { eventually, issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send } from '@cxp/services/http';
import { startOwnStores, type OwnStores } from '../src/own-stores';
import { deliveringTo, isDelivered, startRelay } from '../src/relay';
import { ReplaceableProcess } from '../src/replaceable-process';
import { sendUntilDone } from '../src/send-until-done';
import { ALL_AREAS, contactCenter, startBuilt, webchat } from '@cxp/services/service-under-test';
import { postJson } from '@cxp/services/workloads';
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
let relay: Awaited<ReturnType<typeof startRelay>>;

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  dataSource = await new DataSource({ type: 'postgres', url: stores.postgres.url }).initialize();
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
  relay = await startRelay(() => exports[calls++ % 2]!.url);
  gateways = await two(webchat, deliveringTo(relay));
}, 90_000);

afterAll(async () => {
  await Promise.all([...gateways, ...exports].map((process) => process.stop()));
  relay.stop();
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

  const received: number[] = [];
  const customer = new ChatSocket(session, {
    position: { lastEvent: 0, lastSequence: 0 },
    renewToken: () => post(second, '/external/sessions/refresh', { sessionId: session.sessionId }),
    WebSocket: BalancedSocket,
  });
  customer.on('message', ({ message }) => received.push(message.sequence));
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
  expect(received).toEqual(Array.from({ length: count * 2 }, (_, i) => i + 1));
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

/** What both areas know of the same things, in the same words. */
async function compare(webchatQuery: string, contactCenterQuery: string): Promise<number> {
  const inWebchat: object[] = await dataSource.query(webchatQuery);
  const inContactCenter: object[] = await dataSource.query(contactCenterQuery);
  expect(inContactCenter).toEqual(inWebchat);
  return inWebchat.length;
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

  const messages = await compare(
    'SELECT id, conversation_id::text, sender_type, sent_at FROM webchat.message ORDER BY id',
    'SELECT id, conversation_id, sender_type, sent_at FROM contact_center.message ORDER BY id',
  );
  const activities = await compare(
    `SELECT id, conversation_id::text, action, occurred_at, agent ->> 'name' AS agent FROM webchat.activity ORDER BY id`,
    'SELECT id, conversation_id, action, occurred_at, agent_name AS agent FROM contact_center.activity ORDER BY id',
  );
  const conversations = await compare(
    `SELECT id::text, date_trunc('milliseconds', created_at) AS created_at, updated_at, closed_at, user_id
     FROM webchat.conversation ORDER BY id`,
    `SELECT id, created_at, updated_at, closed_at, customer_filum_id AS user_id
     FROM contact_center.conversation ORDER BY id`,
  );
  expect(conversations).toBe(CONVERSATIONS);
  expect(activities).toBeGreaterThan(2 * CONVERSATIONS);
  expect(messages).toBeGreaterThanOrEqual(2 * LEAST_MESSAGES * CONVERSATIONS);
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
