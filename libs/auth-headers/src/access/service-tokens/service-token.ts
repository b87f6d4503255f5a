import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { JOSEError, JWTExpired } from 'jose/errors';
import type { TokenFailure } from '../api-tokens/api-token-verifier';
import { isPermissions, type Permission, type Permissions } from '../permissions';

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
    .sign(bytesOf(key!));
}

export class ServiceTokenVerifier {
  private readonly keys: ReadonlyMap<string | undefined, Uint8Array>;

  constructor(keys: readonly ServiceTokenKey[]) {
    this.keys = new Map(keys.map((key) => [key.id, bytesOf(key)]));
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

function bytesOf({ secret }: ServiceTokenKey): Uint8Array {
  return new TextEncoder().encode(secret);
}
