import { createRemoteJWKSet, jwtVerify, SignJWT, type JWTVerifyGetKey } from 'jose';
import { JOSEError, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors';
import { DependencyUnavailableError } from '@cxp/storage';
import { isPermissions, type Permissions } from '../permissions';

/** A user of the platform who is logged in, as the login's JWT tells: `sub`, `organization_id`, `permissions`, `exp`. */
export interface AccountSession {
  readonly accountId: string;
  readonly organizationId: string;
  readonly permissions: Permissions;
}

/** Where the platform's login keeps the key of its signatures: a secret shared with it (HS256), or its JWKS. */
export type AccountSessionKey = { readonly secret: string } | { readonly jwksUrl: string };

/** How long a request may wait for the login's keys before it is answered 503, in milliseconds. */
const JWKS_TIMEOUT_MS = 1_500;

export class AccountSessionVerifier {
  private readonly getKey: JWTVerifyGetKey;
  private readonly algorithms: string[];

  constructor(key: AccountSessionKey) {
    // Naming the algorithms keeps a public key from being used as an HMAC secret.
    [this.getKey, this.algorithms] =
      'secret' in key
        ? [secretKey(key.secret), ['HS256']]
        : [remoteKeys(key.jwksUrl), ['RS256', 'PS256', 'ES256', 'EdDSA']];
  }

  /**
   * @returns the session if the signature, the expiry and every claim are right
   * @throws DependencyUnavailableError when the login's keys can't be had
   */
  async verify(token: string): Promise<AccountSession | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.getKey, {
        algorithms: this.algorithms,
        requiredClaims: ['sub', 'exp', 'organization_id', 'permissions'],
      });
      const { sub, organization_id: organizationId, permissions } = payload;
      const sound =
        typeof sub === 'string' && typeof organizationId === 'string' && isPermissions(permissions);
      return sound ? { accountId: sub, organizationId, permissions } : undefined;
    } catch (error) {
      if (error instanceof JOSEError) return undefined;
      throw error;
    }
  }
}

/** Signs a session with the shared secret, as the platform's login does. */
export function signAccountSession(
  session: AccountSession,
  secret: string,
  lifetimeSeconds: number,
): Promise<string> {
  return new SignJWT({ organization_id: session.organizationId, permissions: session.permissions })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(session.accountId)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
    .sign(secretBytes(secret));
}

function secretKey(secret: string): JWTVerifyGetKey {
  const key = secretBytes(secret);
  return () => key;
}

function remoteKeys(url: string): JWTVerifyGetKey {
  const keySet = createRemoteJWKSet(new URL(url), { timeoutDuration: JWKS_TIMEOUT_MS });
  return (header, token) =>
    keySet(header, token).catch((error: unknown) => {
      if (error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys) throw error;
      throw new DependencyUnavailableError('the keys of account sessions', { cause: error });
    });
}

function secretBytes(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}
