import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  createBody,
  createSession,
  postJson,
  postText,
  startWebchat,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  webchatCaller,
} from './webchat-service';

const ALLOWED = 3;
const LIMITS = { EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: String(ALLOWED) };
const PROXY = '127.0.0.1';

let direct: TestService;
let behindProxy: TestService;
let caller: Caller;

beforeAll(async () => {
  [direct, behindProxy] = await Promise.all([
    startWebchat(LIMITS),
    startWebchat({ ...LIMITS, TRUSTED_PROXIES: `10.0.0.0/8, ${PROXY}` }),
  ]);
});
beforeEach(async () => {
  await Promise.all([direct, behindProxy].map(({ redis }) => redis.flushdb()));
  caller = await webchatCaller(direct);
});
afterAll(() => Promise.all([direct.stop(), behindProxy.stop()]));

/** A call with a token that does not exist, and what the proxies say of where it comes from. */
function guess(service: TestService, forwardedFor?: string) {
  const headers = { ...caller.headers, authorization: 'Bearer guess' };
  const forwarded: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
  return postJson(service, '/external/sessions', { ...headers, ...forwarded }, createBody(caller));
}

async function statusesOf(guesses: readonly (() => ReturnType<typeof guess>)[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const make of guesses) statuses.push((await make()).status);
  return statuses;
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
      'retry-after': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
    });
  });

  it('counts neither calls that authenticate nor those that only lack a permission', async () => {
    const denied = await direct.caller({ permissions: ['$survey_link:create'] });
    for (let i = 0; i <= ALLOWED; i++) await createSession(direct, caller).expect(201);
    for (let i = 0; i <= ALLOWED; i++) await createSession(direct, denied).expect(401);
    await guess(direct).expect(401);
  });

  it('is one allowance for all endpoints, record intake too, each in its envelope', async () => {
    for (let i = 0; i < ALLOWED; i++)
      await postJson(direct, '/external/sessions/refresh', {}, {}).expect(401);
    await guess(direct).expect(429);
    const { body } = await postText(direct, '/internal/records', {}, '').expect(429);
    expect(body).toEqual({ detail: 'Rate limit exceeded' });
  });
});

describe('the client address', () => {
  it('is the same for all addresses of an IPv6 network, on every route', async () => {
    const guessAt = (path: string, from: string) =>
      request(behindProxy.url)
        .get(path)
        .set({ authorization: 'Bearer guess', 'x-forwarded-for': from })
        .then(({ status }) => status);
    const path = '/external/conversations/c/events';
    const statuses = [];
    for (let i = 0; i < ALLOWED; i++) statuses.push(await guessAt(path, `2001:db8::${i}`));
    statuses.push(await guessAt(path, '2001:db8::ffff'), (await guess(behindProxy, '2001:db8::abc')).status);
    statuses.push(await guessAt(path, '2001:db8:0:1::1'));
    expect(statuses).toEqual([401, 401, 401, 429, 429, 401]);
  });

  it('is not what a client says it is', async () => {
    const spoofs = ['1.1.1.1', '2.2.2.2', '::1', '3.3.3.3, 4.4.4.4'];
    expect(await statusesOf(spoofs.map((from) => () => guess(direct, from)))).toEqual([401, 401, 401, 429]);
  });

  it('is what a trusted proxy says: one client does not use up the allowance of another', async () => {
    const clients = ['1.1.1.1', '1.1.1.1', '1.1.1.1', '1.1.1.1', '2.2.2.2'];
    expect(await statusesOf(clients.map((from) => () => guess(behindProxy, from)))).toEqual([
      401, 401, 401, 429, 401,
    ]);
  });

  it('is the last one before the trusted proxies, whatever the client put in front', async () => {
    const chains = ['9.9.9.1, 1.1.1.1', '9.9.9.2, 1.1.1.1, 10.1.2.3', '1.1.1.1', '9.9.9.3, 1.1.1.1'];
    expect(await statusesOf(chains.map((from) => () => guess(behindProxy, from)))).toEqual([
      401, 401, 401, 429,
    ]);
  });
});
