import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
} from 'jose';
import {
  JOSEError,
  JWKSMultipleMatchingKeys,
  JWKSNoMatchingKey,
  JWSSignatureVerificationFailed,
  JWTExpired,
} from 'jose/errors';
import { DependencyUnavailableError } from '@cxp/storage';
import type { TokenFailure } from './api-tokens';
import { isPermissions, type Permission, type Permissions } from './permissions';

/** A logged-in platform user. The JWT has the claims `sub`, `organization_id`, `permissions`, `exp`. */
export interface AccountSession {
  readonly accountId: string;
  readonly organizationId: string;
  readonly permissions: Permissions;
}

/** A shared secret (HS256), or the login's JWKS. */
export type AccountSessionKey = { readonly secret: string } | { readonly jwksUrl: string };

/** Distinguish sessions from other tokens signed with the same keys. */
export interface AccountSessionOptions {
  readonly key: AccountSessionKey;
  /** The only accepted `iss`. Default: any, or none. */
  readonly issuer?: string;
  /** Has to be the `aud`, or one of them. Default: any, or none. */
  readonly audience?: string;
}

/** Values of `typ` for access tokens (RFC 7519, RFC 9068); ID tokens, for example, have others. */
const ACCESS_TOKEN_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** Seconds by which the login's clock may be ahead, for `nbf`. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Milliseconds that a request waits for the login's keys before it is a 503. */
const JWKS_TIMEOUT_MS = 1_500;

export class AccountSessionVerifier {
  private readonly getKey: JWTVerifyGetKey;
  private readonly algorithms: string[];

  constructor(private readonly options: AccountSessionOptions) {
    const { key } = options;
    // Naming the algorithms keeps a public key from being used as an HMAC secret.
    [this.getKey, this.algorithms] =
      'secret' in key
        ? [secretKey(key.secret), ['HS256']]
        : [remoteKeys(key.jwksUrl), ['RS256', 'PS256', 'ES256', 'EdDSA']];
  }

  /**
   * @returns the session, or what is wrong with it
   * @throws DependencyUnavailableError when the login's keys are unavailable
   */
  async verify(token: string): Promise<AccountSession | TokenFailure> {
    try {
      const { payload, protectedHeader } = await this.read(token);
      const { sub, exp, organization_id: organizationId, permissions } = payload;
      // The tolerance is for `nbf` alone.
      if (exp! <= Date.now() / 1_000) return 'expired_token';
      const sound =
        isAccessToken(protectedHeader.typ) &&
        typeof sub === 'string' &&
        typeof organizationId === 'string' &&
        isPermissions(permissions);
      return sound ? { accountId: sub, organizationId, permissions } : 'unknown_token';
    } catch (error) {
      if (error instanceof JWTExpired) return 'expired_token';
      if (error instanceof JOSEError) return 'unknown_token';
      throw error;
    }
  }

  /** @throws JOSEError if the token is not valid */
  private async read(token: string): Promise<JWTVerifyResult> {
    const { issuer, audience } = this.options;
    const requiredClaims = ['sub', 'exp', 'organization_id', 'permissions'];
    const rules = {
      algorithms: this.algorithms,
      ...{ issuer, audience, requiredClaims },
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    };
    try {
      return await jwtVerify(token, this.getKey, rules);
    } catch (error) {
      if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
      // A token without `kid`, while the login has an old key and a new one.
      for await (const key of error) {
        const read = await jwtVerify(token, key, rules).catch((refused: unknown) => {
          if (!(refused instanceof JWSSignatureVerificationFailed)) throw refused;
        });
        if (read) return read;
      }
      throw error;
    }
  }
}

function isAccessToken(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TOKEN_TYPES.has(typ.toLowerCase()));
}

export function signAccountSession(
  session: AccountSession,
  secret: string,
  lifetimeSeconds: number,
  { issuer, audience }: Pick<AccountSessionOptions, 'issuer' | 'audience'> = {},
): Promise<string> {
  const claims = { iss: issuer, aud: audience, organization_id: session.organizationId };
  return new SignJWT({ ...claims, permissions: session.permissions })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(session.accountId)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
    .sign(bytesOf(secret));
}

function secretKey(secret: string): JWTVerifyGetKey {
  const key = bytesOf(secret);
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

/** Services may do nothing else in another service. */
export const SERVICE_PERMISSION: Permission = '$platform_record:import';

const PERMISSIONS: Permissions = { $platform_record: ['import'] };
const LIFETIME_SECONDS = 60;
const ALGORITHM = 'HS256';

export interface ServiceTokenKey {
  readonly id: string;
  readonly secret: string;
}

export interface ServiceCall {
  readonly organizationId: string;
  readonly service: string;
  readonly permissions: Permissions;
}

/** The first key signs; the token expires after a minute. */
export function signServiceToken(
  [key]: readonly ServiceTokenKey[],
  { organizationId, service }: Omit<ServiceCall, 'permissions'>,
): Promise<string> {
  return new SignJWT({ organization_id: organizationId, permissions: PERMISSIONS })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: key!.id })
    .setSubject(service)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(bytesOf(key!.secret));
}

export class ServiceTokenVerifier {
  private readonly keys: ReadonlyMap<string | undefined, Uint8Array>;

  constructor(keys: readonly ServiceTokenKey[]) {
    this.keys = new Map(keys.map(({ id, secret }) => [id, bytesOf(secret)]));
  }

  /** API tokens have no dots. */
  static isCandidate(token: string): boolean {
    return token.split('.').length === 3;
  }

  /** Allows importing records of the token's organization only. */
  async verify(token: string): Promise<ServiceCall | TokenFailure> {
    try {
      const key = this.keys.get(decodeProtectedHeader(token).kid);
      if (!key) return 'unknown_token';
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        requiredClaims: ['exp', 'organization_id', 'permissions'],
      });
      const { organization_id: organizationId, permissions, sub: service = 'service' } = payload;
      if (typeof organizationId !== 'string' || !isPermissions(permissions)) return 'unknown_token';
      const mayImport = permissions.$platform_record?.includes('import');
      return { organizationId, service, permissions: mayImport ? PERMISSIONS : {} };
    } catch (error) {
      if (error instanceof JWTExpired) return 'expired_token';
      // jose throws a TypeError for a header that is no JSON.
      if (error instanceof JOSEError || error instanceof TypeError) return 'unknown_token';
      throw error;
    }
  }
}

function bytesOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}
