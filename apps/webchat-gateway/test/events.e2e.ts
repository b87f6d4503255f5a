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

  it('however many write at once, on two processes', async () => {
    const client = await open({ lastEvent: 0 });
    await postMessage('m-0');
    await Promise.all(
      upTo(20).flatMap((i) => {
        const at = i % 2 ? service : elsewhere;
        return [
          post('messages', agentMessage(`m-${i}`), at).expect(200),
          post('messages', agentMessage(`m-${Math.ceil(i / 2)}`), at).expect(200),
          post('activities', { id: `a-${i}`, action: i % 5 ? 'assign' : 'route_to_rating' }, at).expect(200),
          post('read', { upTo: i }, at).expect(204),
        ];
      }),
    );
    await postMessage('m-last');
    const { lastEvent } = ready(await open());
    await client.untilEvent(lastEvent);
    expect(numbers(client)).toEqual(upTo(lastEvent));
    expect(client.received('message')).toHaveLength(22);
    expect(client.received('activity')).toHaveLength(20);
    expect(client.received('rating.requested')).toHaveLength(4);
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

  it('receives what was live as it was live', async () => {
    const witness = await open();
    await oneOfEach(service, caller, session);
    const client = await open({ lastEvent: 0 });
    await Promise.all([witness.untilEvent(6), client.untilEvent(6)]);
    expect(client.events).toEqual(witness.events);
    expect(client.events.map(({ event, type }) => [event, type])).toEqual([
      [1, 'message'],
      [2, 'activity'],
      [3, 'read'],
      [4, 'activity'],
      [5, 'rating.requested'],
      [6, 'rating'],
    ]);
  });
});

describe('session.ready', () => {
  it.each<[string, () => Promise<unknown>, 'open' | 'closed', { name: string | null } | null]>([
    ['at the beginning', async () => undefined, 'open', null],
    ['after assign', () => postActivity('a', 'assign', { agent: ANN }), 'open', { name: 'Ann' }],
    [
      'after an agent without a name',
      () => postActivity('a', 'assign', { agent: { accountId: 1 } }),
      'open',
      { name: null },
    ],
    ['after end_conversation', () => postActivity('a', 'end_conversation', { agent: ANN }), 'closed', null],
  ])('carries lastEvent, status and agent: %s', async (_, happen, status, agent) => {
    await happen();
    const client = await open();
    expect(ready(client)).toMatchObject({ status, agent });
    const all = await open({ lastEvent: 0 });
    await all.untilEvent(ready(client).lastEvent);
    expect(all.events.at(-1) ?? { status, agent }).toMatchObject({ status, agent });
  });

  // The table of activities: src/conversations/chat-rules.spec.ts.
  it('has no agent after the conversation is routed, and still has one after an action that means nothing here', async () => {
    await postActivity('a-1', 'assign', { agent: ANN });
    await postActivity('a-2', 'note_added', { agent: BOB });
    expect(ready(await open()).agent).toEqual({ name: 'Ann' });
    await postActivity('a-3', 'route_to_ai', { agent: BOB });
    expect(ready(await open()).agent).toBeNull();
  });

  it('shows what came last, not what occurred last', async () => {
    await postActivity('a-1', 'end_conversation', { occurredAt: '2026-01-05T12:00:00Z' });
    await postActivity('a-2', 'assign', { agent: ANN, occurredAt: '2026-01-05T11:00:00Z' });
    expect(ready(await open())).toMatchObject({ status: 'open', agent: { name: 'Ann' } });
  });

  it('and the message say that a closed conversation is open again when the customer writes, and not when an agent does', async () => {
    const client = await open();
    await postActivity('a-1', 'end_conversation');
    await postMessage('m-1');
    client.sendMessage('c-1');
    await client.untilEvent(3);
    expect(client.events).toMatchObject([{ status: 'closed' }, { status: 'closed' }, { status: 'open' }]);
    expect(ready(await open())).toMatchObject({ lastEvent: 3, status: 'open' });
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
