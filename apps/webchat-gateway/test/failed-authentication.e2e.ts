import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { ApiTokenRepository, generateApiToken } from '@cxp/auth-headers';
import type { TestService } from '@cxp/service-kit/testing';
import { SessionRepository } from '../src/sessions/session.repository';
import { ChatClient } from './chat-client';
import {
  caller,
  createBody,
  createSession,
  postJson,
  postText,
  service as direct,
  startWebchat,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  useWebchat,
  webchatCaller,
} from './webchat-service';

const ALLOWED = 3;
/** Of a minute that began in this test. */
const SECONDS_LEFT = expect.stringMatching(/^(60|[1-5]\d)$/);
const LIMITS = { EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: String(ALLOWED) };

let behindProxy: TestService;

// Before the caller of each test is made.
beforeEach(() => Promise.all([direct, behindProxy].map(({ redis }) => redis.flushdb())));
useWebchat(() => LIMITS);
beforeAll(async () => {
  behindProxy = await startWebchat({ ...LIMITS, TRUSTED_PROXIES: `10.0.0.0/8, 127.0.0.1` });
});
afterAll(() => behindProxy.stop());

/** A call with a token that does not exist, and what the proxies say of where it comes from. */
function guess(service: TestService, forwardedFor?: string) {
  const headers = { ...caller.headers, authorization: 'Bearer guess' };
  const forwarded: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
  return postJson(service, '/external/sessions', { ...headers, ...forwarded }, createBody(caller));
}

async function upgrade(service: TestService, forwardedFor = ''): Promise<number> {
  const url = `${service.url.replace('http', 'ws')}/sessions/${randomUUID()}`;
  const headers = { 'x-forwarded-for': forwardedFor };
  const { message } = await ChatClient.open(url, { sessionToken: 'guess', headers }).then(
    () => new Error('opened'),
    (error: Error) => error,
  );
  return Number(/\d+$/.exec(message)?.[0]);
}

describe('failed authentication is limited by client address', () => {
  it('401 as often as allowed, then 429 with the exact body and Retry-After', async () => {
    for (let left = ALLOWED - 1; left >= 0; left--) {
      const { body, headers } = await guess(direct).expect(401);
      expect(body).toEqual(UNAUTHORIZED);
      expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': String(left) });
    }
    const { body, headers } = await guess(direct).expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({
      'retry-after': SECONDS_LEFT,
      'ratelimit-remaining': '0',
      'ratelimit-reset': SECONDS_LEFT,
    });
  });

  it('counts neither calls that authenticate nor those that only lack a permission', async () => {
    const denied = await direct.caller({ permissions: ['$survey_link:create'] });
    for (let i = 0; i <= ALLOWED; i++) await createSession(direct, denied).expect(401);
    await guess(direct).expect(401);
  });

  it('is one allowance for all endpoints, record intake and sockets too, each in its envelope', async () => {
    for (let i = 0; i < ALLOWED; i++)
      await postJson(direct, '/external/sessions/refresh', {}, {}).expect(401);
    await guess(direct).expect(429);
    const { body } = await postText(direct, '/internal/records', {}, '').expect(429);
    expect(body).toEqual({ detail: 'Rate limit exceeded' });
    expect(await upgrade(direct)).toBe(429);
  });
});

describe('beyond the limit', () => {
  const withToken = (token: string) =>
    createSession(direct, { ...caller, headers: { ...caller.headers, authorization: `Bearer ${token}` } });
  const exceed = async () => {
    for (let i = 0; i < ALLOWED; i++) await guess(direct).expect(401);
  };

  it('no token is looked up, however many come at once', async () => {
    const lookUp = jest.spyOn(ApiTokenRepository.prototype, 'findByHash');
    const calls = Array.from({ length: 100 }, () =>
      withToken(generateApiToken()).then(({ status }) => status),
    );
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 401)).toHaveLength(ALLOWED);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - ALLOWED);
    expect(lookUp).toHaveBeenCalledTimes(ALLOWED);
  });

  it('a token that was accepted lately is served, and others are not', async () => {
    const other = await webchatCaller(direct);
    const late = await direct.caller({ organizationId: caller.organizationId });
    await createSession(direct, other).expect(201);
    await exceed();
    const { body, headers } = await withToken(late.token).expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({ 'retry-after': SECONDS_LEFT, 'ratelimit-remaining': '0' });
    for (let i = 0; i < 3; i++) {
      await sleep(2_000);
      await createSession(direct, other).expect(201);
    }
    await sleep(5_100);
    await createSession(direct, other).expect(429);
  });

  it('a token of a session is not looked up either', async () => {
    const { body } = await createSession(direct, caller).expect(201);
    const read = () =>
      request(direct.url)
        .get(`/external/conversations/${body.conversationId}/events`)
        .set('authorization', `Bearer ${body.sessionToken}`);
    await exceed();
    const lookUp = jest.spyOn(SessionRepository.prototype, 'isLive');
    await read().expect(429);
    expect(lookUp).not.toHaveBeenCalled();
  });
});

describe.each([
  ['a call', async (service: TestService, from: string) => (await guess(service, from)).status],
  ['an upgrade', upgrade],
])('the client address of %s', (__, ask) => {
  it.each<[string, () => TestService, string[], number[]]>([
    [
      'is not what a client says it is',
      () => direct,
      ['1.1.1.1', '2.2.2.2', '::1', '3.3.3.3, 4.4.4.4'],
      [401, 401, 401, 429],
    ],
    [
      'is what a trusted proxy says: one client does not use up the allowance of another',
      () => behindProxy,
      ['1.1.1.1', '1.1.1.1', '1.1.1.1', '1.1.1.1', '2.2.2.2'],
      [401, 401, 401, 429, 401],
    ],
    [
      'is the last one before the trusted proxies, whatever the client put in front',
      () => behindProxy,
      ['9.9.9.1, 1.1.1.1', '9.9.9.2, 1.1.1.1, 10.1.2.3', '1.1.1.1', '9.9.9.3, 1.1.1.1'],
      [401, 401, 401, 429],
    ],
    [
      'has no port and no brackets, and of IPv6 is the network',
      () => behindProxy,
      [
        '1.1.1.1:1024',
        '1.1.1.1:1025',
        '9.9.9.9, 1.1.1.1:1026, [::ffff:10.0.0.1]:80',
        '1.1.1.1',
        '[2001:db8::1]:1024',
        '2001:db8::2',
        '[2001:db8:0:0:ffff::3]',
        '2001:db8::4',
      ],
      [401, 401, 401, 429, 401, 401, 401, 429],
    ],
    [
      'is that of the proxy which passes on no address',
      () => behindProxy,
      [
        'unknown',
        '1.1.1.1, _hidden',
        '999.1.1.1:80',
        '1.1.1.1, [::1',
        '2.2.2.2, unknown, 10.9.9.9',
        '1.1.1.1',
      ],
      [401, 401, 401, 429, 401, 401],
    ],
  ])('%s', async (_, service, chains, expected) => {
    const statuses: number[] = [];
    for (const chain of chains) statuses.push(await ask(service(), chain));
    expect(statuses).toEqual(expected);
  });
});

it('the client address is the same for all addresses of an IPv6 network, on every route', async () => {
  const read = (from: string) =>
    request(behindProxy.url)
      .get('/external/conversations/c/events')
      .set({ authorization: 'Bearer guess', 'x-forwarded-for': from });
  const statuses = [];
  for (const end of ['0', '1', '2', 'ffff']) statuses.push((await read(`2001:db8::${end}`)).status);
  statuses.push((await guess(behindProxy, '2001:db8::abc')).status, (await read('2001:db8:0:1::1')).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429, 401]);
});
