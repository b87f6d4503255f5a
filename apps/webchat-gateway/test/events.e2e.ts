import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { SocketServer } from '../src/sockets/socket-server';
import type { ChatClient, ConnectOptions } from './chat-client';
import {
  agentMessage,
  connect,
  openSession,
  postToConversation,
  type OpenedSession,
} from './conversation-service';
import { startWebchat, webchatCaller } from './webchat-service';

let service: TestService;
/** Another process over the same stores. */
let elsewhere: TestService;
let caller: Caller;
let session: OpenedSession;
let clients: ChatClient[] = [];

beforeAll(async () => {
  service = await startWebchat();
  const { DATABASE_URL, REDIS_URL } = service.environment;
  elsewhere = await startWebchat({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL! });
});
beforeEach(async () => {
  caller = await webchatCaller(service);
  session = await openSession(service, caller, { id: 'u' });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});
afterAll(async () => {
  await elsewhere.stop();
  await service.stop();
});

async function open(options?: ConnectOptions, at = service): Promise<ChatClient> {
  const client = await connect(at, session, options);
  clients.push(client);
  return client;
}

const post = (what: string, body: object, at = service) =>
  postToConversation(at, caller, session.conversationId, what, body);
const postMessage = (id: string) => post('messages', agentMessage(id)).expect(200);
const postActivity = (id: string, action: string, more: object = {}) =>
  post('activities', { id, action, ...more }).expect(200);
const postRead = (upTo: number) => post('read', { upTo }).expect(204);

async function history(query = ''): Promise<request.Response> {
  return request(service.url)
    .get(`/external/conversations/${session.conversationId}/events${query}`)
    .set('authorization', `Bearer ${session.sessionToken}`);
}

const ANN = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
const BOB = { accountId: 8, name: 'Bob' };

function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const numbers = (client: ChatClient) => client.events.map(({ event }) => event);
const ready = (client: ChatClient) => client.received('session.ready')[0]!;

/** One of each kind: 1 message, 2 activity, 3 read, 4 activity, 5 rating.requested, 6 rating. */
async function oneOfEach(): Promise<void> {
  const client = await connect(service, session);
  client.sendMessage('c-1');
  await client.untilEvent(1);
  await postActivity('a-1', 'assign', { agent: ANN, occurredAt: '2026-01-05T12:00:00Z' });
  await postRead(1);
  await postActivity('a-2', 'route_to_rating', { agent: ANN });
  await client.untilEvent(5);
  client.send({ type: 'rating.submit', clientId: 'r-1', rating: 5, resolution: null, feedback: null });
  await client.untilEvent(6);
  await client.close();
}

describe('the events of a conversation share one sequence of numbers', () => {
  it('without gaps, over messages, activities, read marks, rating requests and ratings', async () => {
    const client = await open();
    await oneOfEach();
    await client.untilEvent(6);
    expect(client.events.map(({ event, type }) => [event, type])).toEqual([
      [1, 'message'],
      [2, 'activity'],
      [3, 'read'],
      [4, 'activity'],
      [5, 'rating.requested'],
      [6, 'rating'],
    ]);
  });

  it('and a repeated record, an unmoved read mark, or typing takes none', async () => {
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
    const { lastEvent } = (await history()).body;
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
    await oneOfEach();
    const client = await open({ lastEvent }, elsewhere);
    await postMessage('m-7');
    await client.untilEvent(7);
    expect(numbers(client)).toEqual([...missed, 7]);
  });

  it('receives what was live as it was live', async () => {
    const witness = await open();
    await oneOfEach();
    const client = await open({ lastEvent: 0 });
    await Promise.all([witness.untilEvent(6), client.untilEvent(6)]);
    expect(client.events).toEqual(witness.events);
  });
});

describe('session.ready', () => {
  it.each<[string, () => Promise<unknown>, 'open' | 'closed', { name: string | null } | null]>([
    ['at the beginning', async () => undefined, 'open', null],
    ['after assign', () => postActivity('a', 'assign', { agent: ANN }), 'open', { name: 'Ann' }],
    [
      'after human_take_over',
      () => postActivity('a', 'human_take_over', { agent: BOB }),
      'open',
      { name: 'Bob' },
    ],
    [
      'after an agent without a name',
      () => postActivity('a', 'assign', { agent: { accountId: 1 } }),
      'open',
      { name: null },
    ],
    ['after end_conversation', () => postActivity('a', 'end_conversation', { agent: ANN }), 'closed', null],
    ['after timed_out', () => postActivity('a', 'timed_out'), 'closed', null],
  ])('carries lastEvent, status and agent: %s', async (_, happen, status, agent) => {
    await happen();
    const client = await open();
    expect(ready(client)).toMatchObject({ status, agent });
    expect(ready(client).lastEvent).toBe((await history()).body.lastEvent);
    const all = await open({ lastEvent: 0 });
    await all.untilEvent(ready(client).lastEvent);
    expect(all.events.at(-1) ?? { status, agent }).toMatchObject({ status, agent });
  });

  it.each([
    'route_to_ai',
    'route_back_to_ai',
    'route_to_human',
    'route_to_rating',
    'end_conversation',
    'timed_out',
  ])('has no agent after %s, and still has one after an action that means nothing here', async (action) => {
    await postActivity('a-1', 'assign', { agent: ANN });
    await postActivity('a-2', 'note_added', { agent: BOB });
    expect(ready(await open()).agent).toEqual({ name: 'Ann' });
    await postActivity('a-3', action, { agent: BOB });
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

describe('GET …/conversations/{id}/events', () => {
  it('is the history of all events, as the sockets had them, with the state of the conversation', async () => {
    const client = await open();
    await oneOfEach();
    await client.untilEvent(6);
    const { status, body, headers } = await history();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        items: client.events,
        hasMore: false,
        lastEvent: 6,
        status: 'open',
        agent: null,
        read: { customer: 0, agent: 1 },
      },
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
  });

  it.each<[string, number[], boolean]>([
    ['', upTo(6), false],
    ['?limit=2', [5, 6], true],
    ['?limit=2&before=5', [3, 4], true],
    ['?limit=2&before=3', [1, 2], false],
    ['?limit=2&after=0', [1, 2], true],
    ['?limit=2&after=4', [5, 6], false],
    ['?after=6', [], false],
    ['?after=4&before=2', [5, 6], false],
  ])('%s', async (query, events, hasMore) => {
    await oneOfEach();
    const { items, hasMore: more } = (await history(query)).body;
    expect([items.map(({ event }: { event: number }) => event), more]).toEqual([events, hasMore]);
  });

  it('is the same for the platform', async () => {
    await oneOfEach();
    const { body } = await request(service.url)
      .get(`/internal/conversations/${session.conversationId}/events`)
      .set(caller.headers)
      .expect(200);
    expect(body).toEqual((await history()).body);
    const { conversationId } = await openSession(service, await webchatCaller(service), { id: 'u' });
    await request(service.url)
      .get(`/internal/conversations/${conversationId}/events`)
      .set(caller.headers)
      .expect(404);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'before=0', 'after=-1', 'after=1.5'])(
    'is 422 for %s',
    async (query) => {
      expect(await history(`?${query}`)).toMatchObject({
        status: 422,
        body: { error: 'Bad Request', statusCode: 400 },
      });
    },
  );
});

describe('an event that is stored but was never published', () => {
  const silently = async (happen: () => Promise<unknown>) => {
    const silenced = jest.spyOn(service.redis, 'publish').mockResolvedValue(0);
    await happen();
    silenced.mockRestore();
  };

  it('comes before the next one', async () => {
    const client = await open();
    await silently(() => postActivity('a-1', 'assign', { agent: ANN }));
    await postMessage('m-1');
    await client.untilEvent(2);
    expect(numbers(client)).toEqual([1, 2]);
  });

  it('comes after a while if there is no next one', async () => {
    const [client, other] = [await open(), await open({}, elsewhere)];
    await postMessage('m-1');
    await client.untilEvent(1);
    await other.untilEvent(1);
    await silently(() => postRead(1));
    for (const each of [service, elsewhere]) await each.app.get(SocketServer).deliverLostEvents();
    await client.untilEvent(2);
    await other.untilEvent(2);
    expect(numbers(client)).toEqual([1, 2]);
  });
});
