import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { eventually, type Caller } from '@cxp/service-kit/testing';
import { createTestDatabase, runs, seededRandom, type TestDatabase } from '@cxp/testing';
import { startGuarded } from '@cxp/testing/local-servers';
import { send, postJson, postRecords, record } from '../src/http';
import { CXP_PROGRAM, cxpBuilt } from '../src/operated-server';
import { expectSameChats, isDelivered } from './chat-delivery';
import { CAMPAIGN, CAMPAIGN_RECORDS } from '../src/erased-person';
import { FaultyProxy } from '@cxp/testing/local-servers';
import { newCallerWithWebchat, startKillableServices, type KillableServices } from './killable-services';
import type { StoppableServer } from './own-stores';
import { ReplaceableProcess, sendUntilDone } from './replaceable-process';

/** Each of the eight is killed once, then any; the nightly run kills for minutes. */
const KILLS = 8 * runs(1);
const CONVERSATIONS = 6;
/** Each writes so often at least in a chat: however slow the machine is, processes are killed while they write. */
const LEAST_MESSAGES = 10;
const RESPONSES = 50;
/** Within this time after the last kill everything is where it belongs, in milliseconds. */
const SETTLED_WITHIN_MS = 90_000;

let services: KillableServices;
let caller: Caller;
let gateways: readonly ReplaceableProcess[];
/** The ways to areas B and C, whose processes have other ports when they are started again. */
let relays: readonly FaultyProxy[];
let copies: readonly Copy[];

interface Copy {
  readonly area: string;
  readonly table: string;
  readonly url: string;
  readonly database: TestDatabase;
}

beforeAll(async () => {
  services = await startKillableServices({ LOG_LEVEL: 'warn', SHUTDOWN_DRAIN_SECONDS: '0' });
  const { processes, relay, dataSource } = services;
  caller = await newCallerWithWebchat(dataSource);
  gateways = [processes.webchat, await services.another('webchat')];
  relays = [relay, await FaultyProxy.before(() => processes.survey.url)];
  const followed = [
    { area: 'contact-center', table: 'conversation_session', url: relays[0]!.url },
    { area: 'survey', table: 'survey_response', url: relays[1]!.url },
  ];
  copies = await Promise.all(followed.map(async (one) => ({ ...one, database: await createTestDatabase() })));
});

afterAll(async () => {
  await gateways[1]?.stop();
  await relays[1]?.close();
  await services.stop();
  await Promise.all(copies.map(({ database }) => database.drop()));
});

const post = <Answer>(place: number, path: string, body: object) =>
  sendUntilDone<Answer>(() => gateways[place % 2]!.url, postJson(path, caller, body));

/** Connects to one gateway after the other, as behind a load balancer. */
class BalancedSocket extends WebSocket {
  private static connections = 0;

  constructor(url: string, protocols: string[]) {
    const gateway = gateways[BalancedSocket.connections++ % gateways.length]!;
    const { pathname, search } = new URL(url);
    super(gateway.url.replace('http', 'ws') + pathname + search, protocols);
  }
}

/** One conversation, in which a customer and an agent write until it is over. */
async function chat(name: string, isOver: () => boolean): Promise<void> {
  const session = await post<CreatedSession>(0, '/external/sessions', {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user: { id: name },
  });
  const conversation = `/internal/conversations/${session.conversationId}`;
  const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
  // All at one time: only the order of their arrival distinguishes them.
  const occurredAt = '2026-01-05T12:00:00.000Z';
  const act = (id: string, action: string) =>
    post(1, `${conversation}/activities`, { id, action, agent, occurredAt });

  const received: string[] = [];
  const customer = new ChatSocket(session, {
    position: { lastEvent: 0 },
    renewToken: () => post(1, '/external/sessions/refresh', { sessionId: session.sessionId }),
    WebSocket: BalancedSocket,
  });
  customer.on('message', ({ message }) => received.push(message.text));
  await act(`${name}-assign`, 'assign');
  let count = 0;
  while (count < LEAST_MESSAGES || !isOver()) {
    count += 1;
    const id = `${name}-${count}`;
    const text = `You say c-${count}`;
    await Promise.all([
      customer.sendMessage(`I say c-${count}`),
      post(count, `${conversation}/messages`, { id, senderType: 'agent', text }),
    ]);
    if (count % 5 === 0) await act(id, 'human_take_over');
  }
  await act(`${name}-end`, 'end_conversation');
  await eventually(() => received.length >= count * 2, SETTLED_WITHIN_MS);
  customer.close();
  expect(new Set(received).size).toBe(count * 2);
  expect(received).toHaveLength(count * 2);
}

/** Responses that come, change and go until it is over. */
async function respond(random: () => number, isOver: () => boolean): Promise<void> {
  const sendRecords = (records: readonly object[]) =>
    sendUntilDone(() => services.processes.survey.url, postRecords(caller, records));
  await sendRecords(CAMPAIGN_RECORDS);
  while (!isOver()) {
    const number = Math.floor(random() * RESPONSES);
    const identifier = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const sent_timestamp = '2026-01-05T02:00:00.000Z';
    const user_name = `Hoa ${random()}`;
    const response = { identifier, survey_campaign_id: CAMPAIGN, sent_timestamp, user_name };
    await sendRecords([
      random() < 0.3
        ? { type: 'survey_response', op: 'delete', data: { identifier } }
        : record('survey_response', response),
    ]);
    await sleep(random() * 100);
  }
}

function optionsOf({ area, url }: Copy, to: string): string[] {
  const { organizationId, token } = caller;
  const of = ['--organization', organizationId, '--token', token, '--url', url];
  return ['follow', '--area', area, ...of, '--to', to];
}

function startFollower(copy: Copy): Promise<ReplaceableProcess> {
  const command = [process.execPath, CXP_PROGRAM, ...optionsOf(copy, copy.database.url)] as const;
  const env = { PATH: process.env.PATH };
  return ReplaceableProcess.start(async () => ({ ...startGuarded({ command: [...command], env }), url: '' }));
}

it(
  'whatever is killed at any moment, nothing of a chat or a response is lost, doubled or out of order, in the export and at followers either',
  async () => {
    const { processes, stores, dataSource } = services;
    const followers = await Promise.all(copies.map(startFollower));
    const restart = (store: StoppableServer) => async () => {
      await store.kill();
      await store.start();
    };
    const kills: Readonly<Record<string, () => Promise<unknown>>> = {
      'a gateway': () => gateways[0]!.kill(),
      'area B': () => processes.contactCenter.kill(),
      'the follower of area B': () => followers[0]!.kill(),
      PostgreSQL: restart(stores.postgres),
      'the other gateway': () => gateways[1]!.kill(),
      'area C': () => processes.survey.kill(),
      'the follower of area C': () => followers[1]!.kill(),
      Redis: restart(stores.redis),
    };

    const random = seededRandom('kills');
    let over = false;
    const isOver = () => over;
    const writers = Array.from({ length: CONVERSATIONS }, (_, n) => chat(`customer-${n}`, isOver));
    writers.push(respond(random, isOver));
    const names = Object.keys(kills);
    for (let count = 0; count < KILLS; count += 1) {
      await sleep(1_000 * random());
      await kills[names[count < names.length ? count : Math.floor(random() * names.length)]!]!();
    }
    over = true;
    await Promise.all(writers);

    await eventually(() => isDelivered(dataSource).catch(() => false), SETTLED_WITHIN_MS);
    const [messages, activities, conversations] = await expectSameChats(dataSource);
    expect(conversations).toBe(CONVERSATIONS);
    expect(messages).toBeGreaterThanOrEqual(LEAST_MESSAGES * CONVERSATIONS);
    expect(activities).toBeGreaterThan(2 * CONVERSATIONS);
    await expectExportedRows();
    await Promise.all(followers.map((follower) => follower.stop()));
    for (const copy of copies) await expectWholeCopy(copy);
    console.log(`${messages} messages, ${activities} activities, ${KILLS} kills`);
  },
  180_000 + KILLS * 10_000,
);

/** The export answers a row for each conversation. */
async function expectExportedRows(): Promise<void> {
  const path = '/external/conversation-sessions?startDate=2000-01-01&endDate=2999-12-31';
  const { url } = services.processes.contactCenter;
  const { body } = await send(url, { method: 'GET', path, headers: caller.headers });
  const { items } = body as { items: object[] };
  expect(items).toHaveLength(CONVERSATIONS);
  for (const row of items)
    expect(row).toMatchObject({ sessionAgentName: 'Ann', sessionEndAction: 'end_conversation' });
}

interface FedRow {
  readonly op: string;
  readonly change: number;
  readonly digest: string;
}

/** The copy has what the feed tells whoever reads it from its beginning, and the service finds nothing wrong with it. */
async function expectWholeCopy(copy: Copy): Promise<void> {
  const run = async (to: string, ...options: string[]) =>
    (await cxpBuilt({}, ...optionsOf(copy, to), '--once', ...options)).trim();
  expect(JSON.parse(await run(copy.database.url, '--verify', '--json'))).toMatchObject({
    verified: { mended: [] },
  });
  const feed = (await run('-')).split('\n').map((line) => JSON.parse(line) as FedRow);
  const fed = feed.filter(({ op }) => op === 'upsert').sort((one, other) => one.change - other.change);
  const pool = new Pool({ connectionString: copy.database.url });
  const { rows } = await pool.query(`SELECT change::integer, digest FROM cxp.${copy.table} ORDER BY change`);
  await pool.end();
  expect(rows).toEqual(fed.map(({ change, digest }) => ({ change, digest })));
}
