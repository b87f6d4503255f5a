import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose';
import { ServiceTokenVerifier, signServiceToken } from './jwt';

const CURRENT = { id: 'current', secret: 'c'.repeat(32) };
const OLD = { id: 'old', secret: 'o'.repeat(32) };
const CALL = { organizationId: 'acme', service: 'webchat-gateway' };
const PERMISSIONS = { $platform_record: ['import'] };

const verifier = new ServiceTokenVerifier([CURRENT, OLD]);
const inAMinute = () => Math.floor(Date.now() / 1_000) + 60;

function sign(claims: JWTPayload, header: { alg?: string; kid?: string } = {}, { secret } = CURRENT) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: CURRENT.id, ...header })
    .sign(new TextEncoder().encode(secret));
}
const claims = (more: JWTPayload = {}) => ({
  organization_id: 'acme',
  permissions: PERMISSIONS,
  exp: inAMinute(),
  ...more,
});

describe('a token of a service', () => {
  it('is verified, whichever of the keys has signed it, and says nothing but who may import for whom', async () => {
    for (const key of [CURRENT, OLD]) {
      const token = await signServiceToken([key], CALL);
      expect(await verifier.verify(token)).toEqual({ ...CALL, permissions: PERMISSIONS });
      expect(decodeProtectedHeader(token).kid).toBe(key.id);
      const { iat, exp, ...rest } = decodeJwt(token);
      expect([exp! - iat!, rest]).toEqual([
        60,
        { sub: 'webchat-gateway', organization_id: 'acme', permissions: PERMISSIONS },
      ]);
    }
  });

  it('never allows more than importing records', async () => {
    const permissions = { ...PERMISSIONS, $personal_data: ['erase'] };
    expect(await verifier.verify(await sign(claims({ permissions })))).toMatchObject({
      permissions: PERMISSIONS,
    });
    const other = await sign(claims({ permissions: { $personal_data: ['erase'] } }));
    expect(await verifier.verify(other)).toMatchObject({ permissions: {} });
  });

  it.each<[string, () => Promise<string> | string]>([
    ['expired', () => sign(claims({ exp: inAMinute() - 61 }))],
    ['without an expiry', () => sign(claims({ exp: undefined }))],
    ['of another key', () => sign(claims(), {}, { id: 'current', secret: 'x'.repeat(32) })],
    ['of a key that is not known', () => sign(claims(), { kid: 'other' })],
    ['of no key', () => sign(claims(), { kid: undefined })],
    ['of another algorithm', () => sign(claims(), { alg: 'HS512' })],
    ['without an organization', () => sign(claims({ organization_id: undefined }))],
    ['of a number of an organization', () => sign(claims({ organization_id: 7 }))],
    ['without permissions', () => sign(claims({ permissions: undefined }))],
    ['with permissions that are none', () => sign(claims({ permissions: 'all' }))],
    ['no JWT', () => 'a.b.c'],
    ['nearly a JWT', () => `${Buffer.from('null').toString('base64url')}.e30.x`],
  ])('is refused when it is %s', async (fault, token) => {
    expect(await verifier.verify(await token())).toBe(
      fault === 'expired' ? 'expired_token' : 'unknown_token',
    );
  });
});
