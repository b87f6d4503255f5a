import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { agentMessage, openSession, postToConversation, type OpenedSession } from './conversation-service';
import { startWebchat, UNAUTHORIZED, webchatCaller } from './webchat-service';

const NOT_FOUND = { message: 'Conversation not found', statusCode: 404 };

let service: TestService;
let caller: Caller;
let session: OpenedSession;

beforeAll(async () => {
  service = await startWebchat();
});
beforeEach(async () => {
  caller = await webchatCaller(service);
  session = await openSession(service, caller, { id: 'u' });
});
afterAll(() => service.stop());

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
  it('is an empty history before the first event', async () => {
    const { body, headers } = await history().expect(200);
    expect(body).toEqual({
      items: [],
      hasMore: false,
      read: { customer: 0, agent: 0 },
      lastEvent: 0,
      status: 'open',
      agent: null,
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is read back to its beginning page by page, each event once, whatever is written meanwhile', async () => {
    const post = (i: number) =>
      postToConversation(service, caller, session.conversationId, 'messages', agentMessage(`m-${i}`)).expect(
        200,
      );
    for (let i = 1; i <= 10; i++) await post(i);
    const read: number[] = [];
    let page = (await history({ limit: 3 }).expect(200)).body;
    for (let i = 11; ; i++) {
      read.unshift(...page.items.map(({ event }: { event: number }) => event));
      if (!page.hasMore) break;
      await post(i);
      page = (await history({ limit: 3, before: read[0] }).expect(200)).body;
    }
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each<[string, object, number[], boolean]>([
    ['messages', { type: 'message' }, [1, 3], false],
    ['the last one', { type: 'message', limit: 1 }, [3], true],
    ['those before another event', { type: 'message', before: 3 }, [1], false],
    ['those after another event', { type: 'activity', after: 2 }, [4], false],
    ['requests', { type: 'rating.requested', limit: 1 }, [5], false],
    ['ratings', { type: 'rating' }, [], false],
  ])('has only events of a type: %s', async (_, query, events, hasMore) => {
    const post = (what: string, body: object) =>
      postToConversation(service, caller, session.conversationId, what, body).expect(200);
    for (const [i, action] of ['assign', 'route_to_rating'].entries()) {
      await post('messages', agentMessage(`m-${i}`));
      await post('activities', { id: `a-${i}`, action });
    }
    const { body } = await history(query).expect(200);
    expect([body.items.map(({ event }: { event: number }) => event), body.hasMore]).toEqual([
      events,
      hasMore,
    ]);
    expect(body.lastEvent).toBe(5);
  });

  it.each(['x', '', 'typing', ['message', 'read']])('is 422 for the type %j', async (type) => {
    await history({ type }).expect(422);
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

describe('the rate limit of the history', () => {
  /** A page of any site is told why it was refused, and when to come back. */
  const READABLE = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('Retry-After, X-Error-Code') as string,
  };
  let limited: TestService;
  beforeAll(async () => {
    const { DATABASE_URL, REDIS_URL } = service.environment;
    limited = await startWebchat({
      DATABASE_URL: DATABASE_URL!,
      REDIS_URL: REDIS_URL!,
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
