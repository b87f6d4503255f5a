import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { isDependencyUnavailable } from '@cxp/storage';
import { AccountSessionVerifier, signAccountSession } from './jwt';

const SECRET = 'a secret of at least thirty-two characters';
const SESSION = {
  accountId: '42',
  organizationId: 'acme',
  permissions: { $export_conversation_session: ['list'] },
};
const CLAIMS = { sub: '42', organization_id: 'acme', permissions: SESSION.permissions };

const secretKey = new TextEncoder().encode(SECRET);
const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;

function sign(
  claims: JWTPayload,
  alg = 'HS256',
  key: Parameters<SignJWT['sign']>[0] = secretKey,
  kid?: string,
) {
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
}

describe('an account session signed with the shared secret', () => {
  const verifier = new AccountSessionVerifier({ key: { secret: SECRET } });

  it('is verified', async () => {
    expect(await verifier.verify(await signAccountSession(SESSION, SECRET, 60))).toEqual(SESSION);
    // The login's clock may be half a minute ahead.
    const claims = { ...CLAIMS, exp: inAnHour(), nbf: inAnHour() - 3_575, more: 1 };
    expect(await verifier.verify(await sign(claims))).toEqual(SESSION);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['expired', () => signAccountSession(SESSION, SECRET, 0)],
    [
      'not valid for more than half a minute',
      () => sign({ ...CLAIMS, exp: inAnHour(), nbf: inAnHour() - 3_560 }),
    ],
    ['signed with another secret', () => signAccountSession(SESSION, `${SECRET}!`, 60)],
    ['signed with another algorithm of the same secret', () => sign({ ...CLAIMS, exp: inAnHour() }, 'HS512')],
    ['not signed', () => new UnsecuredJWT({ ...CLAIMS, exp: inAnHour() }).encode()],
    [
      'signed with a key pair',
      async () => sign({ ...CLAIMS, exp: inAnHour() }, 'ES256', (await generateKeyPair('ES256')).privateKey),
    ],
    ['cut off', async () => (await signAccountSession(SESSION, SECRET, 60)).slice(0, -1)],
    ['no JWT', () => 'secret'],
    ['empty', () => ''],
  ])('is refused when it is %s', async (fault, token) => {
    expect(await verifier.verify(await token())).toBe(
      fault === 'expired' ? 'expired_token' : 'unknown_token',
    );
  });

  it.each<[string, object]>([
    ['sub missing', { sub: undefined }],
    ['sub a number', { sub: 42 }],
    ['organization_id missing', { organization_id: undefined }],
    ['organization_id a number', { organization_id: 7 }],
    ['permissions missing', { permissions: undefined }],
    ['permissions null', { permissions: null }],
    ['permissions a list', { permissions: ['$export_conversation_session:list'] }],
    ['actions a string', { permissions: { $export_conversation_session: 'list' } }],
    ['actions of numbers', { permissions: { $export_conversation_session: [1] } }],
    ['exp missing', { exp: undefined }],
    ['exp a string', { exp: '9999999999' }],
  ])('is refused with %s', async (_, change) => {
    const token = await sign({ ...CLAIMS, exp: inAnHour(), ...change });
    expect(await verifier.verify(token)).toBe('unknown_token');
  });
});

describe('an account session of a known issuer for a known audience', () => {
  const issuer = 'https://login.example.com';
  const audience = 'cxp';
  const verifier = new AccountSessionVerifier({ key: { secret: SECRET }, issuer, audience });
  const verify = async (claims: JWTPayload) =>
    verifier.verify(await sign({ ...CLAIMS, exp: inAnHour(), ...claims }));

  it.each<[string, JWTPayload]>([
    ['exactly these', { iss: issuer, aud: audience }],
    ['several audiences', { iss: issuer, aud: ['other', audience] }],
  ])('is verified with %s', async (_, claims) => {
    expect(await verify(claims)).toEqual(SESSION);
  });

  it.each<[string, JWTPayload]>([
    ['no issuer', { aud: audience }],
    ['another issuer', { iss: `${issuer}/`, aud: audience }],
    ['no audience', { iss: issuer }],
    ['another audience', { iss: issuer, aud: 'other' }],
    ['other audiences', { iss: issuer, aud: ['other', 'CXP'] }],
  ])('is refused with %s', async (_, claims) => {
    expect(await verify(claims)).toBe('unknown_token');
  });

  it('is signed by the command line with both', async () => {
    const token = await signAccountSession(SESSION, SECRET, 60, { issuer, audience });
    expect(await verifier.verify(token)).toEqual(SESSION);
  });
});

describe('the type of an account session', () => {
  const verifier = new AccountSessionVerifier({ key: { secret: SECRET } });
  const verify = async (typ?: string) =>
    verifier.verify(
      await new SignJWT({ ...CLAIMS, exp: inAnHour() })
        .setProtectedHeader({ alg: 'HS256', typ })
        .sign(secretKey),
    );

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])('may be %s', async (typ) => {
    expect(await verify(typ)).toEqual(SESSION);
  });

  it.each(['id+jwt', 'logout+jwt', 'dpop+jwt', 'JWE', '', ' JWT'])('must not be %j', async (typ) => {
    expect(await verify(typ)).toBe('unknown_token');
  });
});

describe("an account session signed with a key of the login's JWKS", () => {
  let server: Server;
  let answer: { status: number; body: unknown };
  let jwksUrl: string;
  let pair: Awaited<ReturnType<typeof generateKeyPair>>;

  beforeAll(async () => {
    pair = await generateKeyPair('RS256', { extractable: true });
    server = createServer((_, response) => {
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  });
  beforeEach(async () => {
    answer = {
      status: 200,
      body: { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256' }] },
    };
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const verify = (token: string) => new AccountSessionVerifier({ key: { jwksUrl } }).verify(token);
  const sound = () => sign({ ...CLAIMS, exp: inAnHour() }, 'RS256', pair.privateKey, 'k1');

  it('is verified', async () => {
    expect(await verify(await sound())).toEqual(SESSION);
  });

  it.each<[string, () => Promise<string>]>([
    [
      'signed with another key under a known kid',
      async () =>
        sign({ ...CLAIMS, exp: inAnHour() }, 'RS256', (await generateKeyPair('RS256')).privateKey, 'k1'),
    ],
    ['of an unknown kid', () => sign({ ...CLAIMS, exp: inAnHour() }, 'RS256', pair.privateKey, 'k2')],
    [
      'signed with the public key as if it were a secret',
      async () =>
        sign(
          { ...CLAIMS, exp: inAnHour() },
          'HS256',
          new TextEncoder().encode(await exportSPKI(pair.publicKey)),
          'k1',
        ),
    ],
    ['not signed', async () => new UnsecuredJWT({ ...CLAIMS, exp: inAnHour() }).encode()],
    ['expired', () => sign({ ...CLAIMS, exp: 1 }, 'RS256', pair.privateKey, 'k1')],
  ])('is refused when it is %s', async (fault, token) => {
    expect(await verify(await token())).toBe(fault === 'expired' ? 'expired_token' : 'unknown_token');
  });

  it('is verified without a kid, too, while the login has two keys', async () => {
    const keys = [await generateKeyPair('RS256', { extractable: true }), pair];
    answer.body = { keys: await Promise.all(keys.map(({ publicKey }) => exportJWK(publicKey))) };
    const claims = { ...CLAIMS, exp: inAnHour() };
    expect(await verify(await sign(claims, 'RS256', pair.privateKey))).toEqual(SESSION);
    expect(await verify(await sign({ ...claims, exp: 1 }, 'RS256', pair.privateKey))).toBe('expired_token');
    const stranger = (await generateKeyPair('RS256')).privateKey;
    expect(await verify(await sign(claims, 'RS256', stranger))).toBe('unknown_token');
  });

  it.each<[string, { status: number; body: unknown }]>([
    ['fails', { status: 500, body: {} }],
    ['answers something else', { status: 200, body: { keys: 'none' } }],
  ])('can not be verified when the JWKS %s: that is not the caller’s fault', async (_, broken) => {
    answer = broken;
    const token = await sound();
    const error: unknown = await verify(token).catch((thrown: unknown) => thrown);
    expect(isDependencyUnavailable(error)).toBe(true);
  });

  it('can not be verified when nobody serves the JWKS', async () => {
    const token = await sound();
    const verifier = new AccountSessionVerifier({ key: { jwksUrl: 'http://127.0.0.1:1/jwks.json' } });
    const error: unknown = await verifier.verify(token).catch((thrown: unknown) => thrown);
    expect(isDependencyUnavailable(error)).toBe(true);
  });
});
