import { SocketServer } from '../src/sockets/socket-server';
import type { ChatClient } from './chat-client';
import {
  agentMessage,
  elsewhere,
  oneOfEach,
  open,
  post,
  session,
  upTo,
  useTwoProcesses,
} from './conversation-service';
import { caller, service } from './webchat-service';

useTwoProcesses();

const postMessage = (id: string) => post('messages', agentMessage(id)).expect(200);
const postActivity = (id: string, action: string, more: object = {}) =>
  post('activities', { id, action, ...more }).expect(200);
const postRead = (upTo: number) => post('read', { upTo }).expect(204);

const ANN = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
const BOB = { accountId: 8, name: 'Bob' };
const NOON = '2026-01-05T12:00:00.000Z';
const LATER = '2026-01-05T13:00:00.000Z';

const numbers = (client: ChatClient) => client.events.map(({ event }) => event);
const ready = (client: ChatClient) => client.received('session.ready')[0]!;

describe('the events of a conversation share one sequence of numbers', () => {
  it('without gaps: a repeated record, an unmoved read mark, or typing takes none', async () => {
    const client = await open();
    for (let i = 0; i < 2; i++) {
      await postMessage('m-1');
      await postActivity('a-1', 'assign', { agent: ANN });
      await postRead(1);
      await post('typing', { senderType: 'agent', active: true }).expect(204);
      client.sendMessage('c-1');
      await client.next('message.accepted');
    }
    await postMessage('m-2');
    await client.untilEvent(5);
    expect(client.events.map(({ type }) => type)).toEqual([
      'message',
      'activity',
      'read',
      'message',
      'message',
    ]);
    expect(numbers(client)).toEqual(upTo(5));
  });

  // However many write at once: resumed-chats.e2e.ts.
});

it.each<['customer' | 'agent', (upTo: number, client: ChatClient) => unknown]>([
  ['customer', (upTo, client) => client.send({ type: 'read', upTo })],
  ['agent', postRead],
])('the read mark of the %s moves forward, at most to the last event that is none', async (reader, read) => {
  const [client, other] = [await open(), await open({}, elsewhere)];
  for (const i of upTo(3)) await postMessage(`m-${i}`);
  for (const upTo of [2, 1, 3, 99]) await read(upTo, client);
  await other.untilEvent(5);
  await client.roundTrip();
  expect(other.received('read')).toEqual([
    { event: 4, type: 'read', reader, upTo: 2 },
    { event: 5, type: 'read', reader, upTo: 3 },
  ]);
  expect(ready(await open())).toMatchObject({
    lastEvent: 5,
    read: { customer: 0, agent: 0, [reader]: 3 },
  });
});

describe('a socket that is opened with lastEvent', () => {
  it.each<[number | string | undefined, number[]]>([
    [undefined, []],
    [0, upTo(6)],
    [2, [3, 4, 5, 6]],
    [6, []],
    [99, []],
    ['999999999999999', []],
    ['-1', []],
    ['1.5', []],
    ['x', []],
    ['', []],
  ])('%j receives every later event once, in order, and then the live ones', async (lastEvent, missed) => {
    await oneOfEach(service, caller, session);
    const client = await open({ lastEvent }, elsewhere);
    await postMessage('m-7');
    await client.untilEvent(7);
    expect(numbers(client)).toEqual([...missed, 7]);
  });
});

// The causes of changes: src/conversations/chat-rules.spec.ts.
describe('session.ready and the last event show the state of the conversation', () => {
  let activities = 0;
  const act =
    (action: string, more: object = {}) =>
    () =>
      postActivity(`s-${activities++}`, action, more);
  const assign = act('assign', { agent: ANN });
  const end = act('end_conversation', { agent: BOB, occurredAt: NOON });
  const customerWrites = async () => {
    const client = await open();
    client.sendMessage('c-1');
    await client.next('message.accepted');
  };
  const agentWrites = () => postMessage('m-1');

  it.each<[string, (() => Promise<unknown>)[], 'open' | 'closed', { name: string | null } | null]>([
    ['without events', [], 'open', null],
    ['after assign', [assign], 'open', { name: 'Ann' }],
    ['after an agent without a name', [act('assign', { agent: { accountId: 1 } })], 'open', { name: null }],
    ['after a message to an agent', [assign, customerWrites], 'open', { name: 'Ann' }],
    ['after what means nothing here', [assign, act('note_added', { agent: BOB })], 'open', { name: 'Ann' }],
    ['after it is routed', [assign, act('route_to_ai', { agent: BOB })], 'open', null],
    ['after a rating is asked for', [assign, act('route_to_rating', { agent: BOB })], 'open', null],
    ['after its end', [assign, end], 'closed', null],
    ['after two ends', [end, act('timed_out', { occurredAt: LATER })], 'closed', null],
    ["after an agent's message to a closed one", [end, agentWrites], 'closed', null],
    ['after a rating of a closed one is asked for', [end, act('route_to_rating')], 'closed', null],
    ["after a customer's message to a closed one", [end, customerWrites], 'open', null],
    ['after a closed one is routed', [end, act('route_to_ai')], 'open', null],
    [
      'after an assign that came later and occurred before',
      [end, act('assign', { agent: ANN, occurredAt: '2026-01-05T11:00:00Z' })],
      'open',
      { name: 'Ann' },
    ],
  ])('%s', async (_, steps, status, agent) => {
    for (const step of steps) await step();
    const { lastEvent, ...state } = ready(await open());
    expect(state).toMatchObject({ status, agent });
    const all = await open({ lastEvent: 0 });
    await all.untilEvent(lastEvent);
    const changes = all.events.filter((event) => 'status' in event);
    expect(changes.at(-1) ?? { status }).toMatchObject({ status });
    expect(all.received('activity').at(-1)?.agent ?? null).toEqual(agent);
    const [{ closed_at }] = await service.dataSource.query(
      'SELECT closed_at FROM webchat.conversation WHERE id = $1',
      [session.conversationId],
    );
    expect(closed_at).toEqual(status === 'closed' ? new Date(NOON) : null);
  });
});

describe('an event that is stored but was never published', () => {
  it.each<[string, () => Promise<unknown>, number[]]>([
    ['before the next one', () => postMessage('m-2'), [1, 2, 3]],
    [
      'when the connection to Redis is back',
      () => service.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      [1, 2],
    ],
    [
      'after a while if there is no next one',
      () => Promise.all([service, elsewhere].map((each) => each.app.get(SocketServer).deliverLostEvents())),
      [1, 2],
    ],
  ])('comes %s', async (_, happen, expected) => {
    const sockets = [await open(), await open({}, elsewhere)];
    await postMessage('m-1');
    for (const client of sockets) await client.untilEvent(1);
    const silenced = jest.spyOn(service.redis, 'publish').mockResolvedValue(0);
    await postRead(1);
    silenced.mockRestore();
    await happen();
    for (const client of sockets) {
      await client.untilEvent(expected.length);
      expect(numbers(client)).toEqual(expected);
    }
  });
});
