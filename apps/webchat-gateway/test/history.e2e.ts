import request from 'supertest';
import { type Caller, eventually, type TestService } from '@cxp/service-kit/testing';
import { ConversationRepository } from '../src/conversations/conversation.repository';
import { HistoryReadModel } from '../src/conversations/history.read-model';
import {
  agentMessage,
  oneOfEach,
  open,
  openSession,
  post,
  session,
  upTo,
  useSession,
  type OpenedSession,
} from './conversation-service';
import { caller, service, startBeside, UNAUTHORIZED, webchatCaller } from './webchat-service';

const NOT_FOUND = { message: 'Conversation not found', statusCode: 404 };

useSession();

function history(
  query: object = {},
  token = session.sessionToken,
  { conversationId } = session,
): request.Test {
  return request(service.url)
    .get(`/external/conversations/${conversationId}/events`)
    .set(token ? { authorization: `Bearer ${token}` } : {})
    .query(query);
}

describe('GET /external/conversations/{id}/events', () => {
  it('is empty before the first event', async () => {
    const { body } = await history().expect(200);
    const state = { read: { customer: 0, agent: 0 }, lastEvent: 0, status: 'open', agent: null };
    expect(body).toEqual({ items: [], hasMore: false, ...state });
  });

  it('is all events, as live and resumed sockets had them, with the state of the conversation; the same for the platform', async () => {
    const client = await open();
    await oneOfEach(service, caller, session);
    const resumed = await open({ lastEvent: 0 });
    await Promise.all([client.untilEvent(6), resumed.untilEvent(6)]);
    expect(resumed.events).toEqual(client.events);
    expect(client.events.map(({ type }) => type)).toEqual([
      'message',
      'activity',
      'read',
      'activity',
      'rating.requested',
      'rating',
    ]);
    const { body, headers } = await history().expect(200);
    const state = { read: { customer: 0, agent: 1 }, lastEvent: 6, status: 'open', agent: null };
    expect(body).toEqual({ items: client.events, hasMore: false, ...state });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });

    const asked = (by: Caller) =>
      request(service.url).get(`/internal/conversations/${session.conversationId}/events`).set(by.headers);
    expect((await asked(caller).expect(200)).body).toEqual(body);
    await asked(await webchatCaller(service)).expect(404);
  });

  it.each<[object, number[], boolean]>([
    [{}, [1, 2, 3, 4, 5, 6], false],
    [{ limit: 2 }, [5, 6], true],
    [{ limit: 2, before: 5 }, [3, 4], true],
    [{ limit: 2, before: 3 }, [1, 2], false],
    [{ limit: 2, after: 0 }, [1, 2], true],
    [{ limit: 2, after: 4 }, [5, 6], false],
    [{ after: 6 }, [], false],
    [{ after: 4, before: 2 }, [5, 6], false],
    [{ type: 'activity' }, [2, 4], false],
    [{ type: 'activity', limit: 1 }, [4], true],
    [{ type: 'activity', before: 3 }, [2], false],
    [{ type: 'activity', after: 2 }, [4], false],
    [{ type: 'rating.requested', limit: 1 }, [5], false],
  ])('for %j', async (query, events, hasMore) => {
    await oneOfEach(service, caller, session);
    const { body } = await history(query).expect(200);
    expect(body.items.map(({ event }: { event: number }) => event)).toEqual(events);
    expect(body).toMatchObject({ hasMore, lastEvent: 6 });
  });

  it.each([
    ...[{ limit: 0 }, { limit: 101 }, { limit: 'x' }, { before: 0 }, { after: -1 }, { after: 1.5 }],
    ...['x', '', 'typing', ['message', 'read']].map((type) => ({ type })),
  ])('is 422 for %j', async (query) => {
    const { body } = await history(query).expect(422);
    expect(body).toMatchObject({ error: 'Bad Request', statusCode: 400 });
  });

  it('is read back to its beginning page by page, each event once, whatever is written meanwhile', async () => {
    const write = (i: number) => post('messages', agentMessage(`m-${i}`)).expect(200);
    for (const i of upTo(10)) await write(i);
    const read: number[] = [];
    let page = (await history({ limit: 3 }).expect(200)).body;
    for (let i = 11; ; i++) {
      read.unshift(...page.items.map(({ event }: { event: number }) => event));
      if (!page.hasMore) break;
      await write(i);
      page = (await history({ limit: 3, before: read[0] }).expect(200)).body;
    }
    expect(read).toEqual(upTo(10));
  });

  it('ends a page at 256 KiB of items, with hasMore: they are read page by page, the longest messages, too', async () => {
    const text = '\x01😀'.repeat(2_000);
    for (const i of upTo(40)) {
      await post('messages', { ...agentMessage(`m-${i}`), text }).expect(200);
    }
    for (const side of ['before', 'after'] as const) {
      const read: number[] = [];
      for (let at = side === 'before' ? 41 : 0, hasMore = true; hasMore;) {
        const { body, text: sent } = await history({ [side]: at, limit: 100 }).expect(200);
        const numbers = body.items.map(({ event }: { event: number }) => event) as number[];
        expect(Buffer.byteLength(sent)).toBeLessThan(300 * 1_024);
        expect(numbers.length).toBeGreaterThan(0);
        read.push(...numbers);
        at = side === 'before' ? numbers[0]! : numbers.at(-1)!;
        ({ hasMore } = body);
      }
      expect(read.sort((a, b) => a - b)).toEqual(upTo(40));
    }
  });

  it('is 401 when the session has ended, though the token has not expired', async () => {
    await service.redis.flushdb();
    expect((await history().expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it("is 404 for a conversation that is not the session's: another user's, another organization's, none", async () => {
    const others = [
      await openSession(service, caller, { id: 'other' }),
      await openSession(service, await webchatCaller(service), { id: 'u' }),
      { ...session, conversationId: 'c-1' },
    ];
    for (const other of others) {
      expect((await history({}, session.sessionToken, other).expect(404)).body).toEqual(NOT_FOUND);
    }
  });

  it("may be called from a page of any site, with the token in a header as the browser's question allows", async () => {
    const path = `/external/conversations/${session.conversationId}/events`;
    const { headers } = await request(service.url).options(path).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization',
    });
    expect((await history().expect(200)).headers['access-control-allow-origin']).toBe('*');
  });
});

it('whoever asks for many pages at once waits for each of them, and others of the organization for one', async () => {
  const [pages, conversations] = [service.app.get(HistoryReadModel), service.app.get(ConversationRepository)];
  const asked = jest.spyOn(pages, 'page');
  const readState = conversations.state.bind(conversations);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const read = jest.spyOn(conversations, 'state').mockImplementation(async (...of) => {
    await held;
    return readState(...of);
  });
  const other = await openSession(service, caller, { id: 'other' });
  const many = Array.from({ length: 4 }, async () => history().expect(200));
  await eventually(() => asked.mock.calls.length === 4);
  const one = (async () => history({}, other.sessionToken, other).expect(200))();
  await eventually(() => asked.mock.calls.length === 5);
  release();
  await Promise.all([...many, one]);
  expect(read.mock.calls.map(([, id]) => id).indexOf(other.conversationId)).toBe(1);
});

describe('the rate limit of the history', () => {
  /** A page of any site can read why it was refused, and when to come back. */
  const READABLE = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('Retry-After, X-Error-Code') as string,
  };
  let limited: TestService;
  beforeAll(async () => {
    limited = await startBeside(service, {
      EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '3',
      EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: '2',
    });
  });
  afterAll(() => limited.stop());

  const call = ({ conversationId, sessionToken }: OpenedSession) =>
    request(limited.url)
      .get(`/external/conversations/${conversationId}/events`)
      .set('authorization', `Bearer ${sessionToken}`);

  it("is counted for each session: no customer spends another's, or the organization's", async () => {
    const other = await openSession(service, caller, { id: 'other' });
    for (let i = 0; i < 3; i++) await call(session).expect(200);
    const { headers } = await call(session).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers).toMatchObject(READABLE);
    expect((await call(other).expect(200)).headers['ratelimit-remaining']).toBe('2');
  });

  it('is counted by client address for tokens that are refused', async () => {
    await service.redis.flushdb();
    const bad = { ...session, sessionToken: 'x' };
    for (let i = 0; i < 2; i++) expect((await call(bad).expect(401)).headers).toMatchObject(READABLE);
    expect((await call(bad).expect(429)).headers).toMatchObject(READABLE);
  });
});
