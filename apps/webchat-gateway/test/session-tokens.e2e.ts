import { createHmac } from 'node:crypto';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { SessionService } from '../src/sessions/session.service';
import { createSession, refreshSession, startWebchat, webchatCaller } from './webchat-service';

const OLD = `old:${'o'.repeat(32)}`;
const NEW = `new:${'n'.repeat(32)}`;
const FOREIGN = `foreign:${'f'.repeat(32)}`;

let before: TestService;
let during: TestService;
let after: TestService;

beforeAll(async () => {
  [before, during, after] = (await Promise.all(
    [OLD, `${NEW}, ${OLD}`, NEW].map((keys) => startWebchat({ WEBCHAT_SESSION_TOKEN_KEYS: keys })),
  )) as [TestService, TestService, TestService];
});
afterAll(() => Promise.all([before, during, after].map((service) => service.stop())));

async function tokenOf(service: TestService): Promise<string> {
  return (await createSession(service, await webchatCaller(service), { id: 'u' }).expect(201)).body
    .sessionToken;
}

function verify(service: TestService, token: string) {
  const session = service.app.get(SessionService).ofToken(token);
  return typeof session === 'string' ? undefined : session;
}

describe('a session token', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await webchatCaller(during);
  });

  it('carries sub, sid, conversation_id, organization_id, iat and exp, and nothing else', async () => {
    const start = Math.floor(Date.now() / 1_000);
    const created = (await createSession(during, caller, { id: 'u', name: 'Hoa', phone: '1' }).expect(201))
      .body;
    const refreshed = (await refreshSession(during, caller, created.sessionId).expect(200)).body;
    for (const { sessionToken, sessionTokenExpiration } of [created, refreshed]) {
      const { header, claims } = decode(sessionToken);
      expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'new' });
      expect(claims).toEqual({
        sub: 'u',
        sid: created.sessionId,
        conversation_id: created.conversationId,
        organization_id: caller.organizationId,
        iat: expect.any(Number),
        exp: sessionTokenExpiration,
      });
      expect(claims.iat).toBeGreaterThanOrEqual(start);
    }
  });

  it('is refused once it has expired', async () => {
    const token = await tokenOf(during);
    const now = Math.floor(Date.now() / 1_000);
    const expiring = (exp: number) =>
      hmac(withPart(token, 1, { ...decode(token).claims, exp }), { alg: 'HS256', kid: 'new' }, NEW);
    expect(during.app.get(SessionService).ofToken(expiring(now))).toBe('expired_token');
    expect(verify(during, expiring(now + 60))).toMatchObject({ userId: 'u', expiresAt: now + 60 });
  });

  it.each<[string, (token: string) => string]>([
    ['another payload', (token) => withPart(token, 1, { ...decode(token).claims, sub: 'v' })],
    ['no signature', (token) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['alg none', (token) => `${withPart(token, 0, { alg: 'none', kid: 'new' }).split('.', 2).join('.')}.`],
    ['an unknown kid', (token) => hmac(token, { alg: 'HS256', kid: 'foreign' }, FOREIGN)],
    [
      "another key's signature under a known kid",
      (token) => hmac(token, { alg: 'HS256', kid: 'new' }, FOREIGN),
    ],
    ["the old key's signature under the new kid", (token) => hmac(token, { alg: 'HS256', kid: 'new' }, OLD)],
    [
      'another algorithm of the same key',
      (token) => hmac(token, { alg: 'HS512', kid: 'new' }, NEW, 'sha512'),
    ],
    ['nothing like a token', () => 'secret'],
  ])('with %s is refused', async (_, forge) => {
    const token = await tokenOf(during);
    expect(verify(during, token)).toBeDefined();
    expect(verify(during, forge(token))).toBeUndefined();
  });
});

describe('a rotation of signing keys', () => {
  it.each<
    [string, () => TestService, kid: string, verifies: [before: boolean, during: boolean, after: boolean]]
  >([
    ['before it', () => before, 'old', [true, true, false]],
    ['while both keys are known', () => during, 'new', [false, true, true]],
    ['after it', () => after, 'new', [false, true, true]],
  ])('signs with the first key and verifies with each that is known: %s', async (_, signs, kid, verifies) => {
    const token = await tokenOf(signs());
    expect(decode(token).header.kid).toBe(kid);
    expect([before, during, after].map((service) => verify(service, token) !== undefined)).toEqual(verifies);
  });
});

function decode(token: string): { header: Record<string, string>; claims: Record<string, string | number> } {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header!), claims: JSON.parse(claims!) };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function withPart(token: string, index: number, part: object): string {
  return token.split('.').with(index, encode(part)).join('.');
}

function hmac(token: string, header: object, key: string, algorithm = 'sha256'): string {
  const signed = `${encode(header)}.${token.split('.')[1]}`;
  const secret = key.slice(key.indexOf(':') + 1);
  return `${signed}.${createHmac(algorithm, secret).update(signed).digest('base64url')}`;
}
