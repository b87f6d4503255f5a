import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService, type JwtModuleOptions } from '@nestjs/jwt';
import { decode } from 'jsonwebtoken';
import type { SigningKey } from '@cxp/service-kit';
import type { Session } from './session.repository';

const ALGORITHM = 'HS256';

/**
 * The first key signs; the others verify what was signed before a rotation. The token's `kid` names the key.
 * Keys are `KeyObject`s: given a text, jsonwebtoken first tries to parse it as a PEM, which costs half of a session's
 * creation.
 */
export function sessionTokenOptions(signingKeys: readonly SigningKey[]): JwtModuleOptions {
  const keys = new Map<string | undefined, KeyObject>(
    signingKeys.map(({ id, secret }) => [id, createSecretKey(secret, 'utf8')]),
  );
  const keyid = signingKeys[0]!.id;
  return {
    signOptions: { algorithm: ALGORITHM, keyid },
    verifyOptions: { algorithms: [ALGORITHM] },
    secretOrKeyProvider: (purpose, token) => {
      const id =
        purpose === JwtSecretRequestType.SIGN
          ? keyid
          : decode(token as string, { complete: true })?.header.kid;
      const key = keys.get(id);
      if (!key) throw new Error('no such signing key');
      return key;
    },
  };
}

/** The claims of a session token. */
export interface SessionTokenClaims {
  /** The user id. */
  readonly sub: string;
  /** The session id. */
  readonly sid: string;
  readonly conversation_id: string;
  readonly organization_id: string;
  readonly iat: number;
  /** Unix epoch seconds: the session's own expiry. */
  readonly exp: number;
}

@Injectable()
export class SessionTokenService {
  constructor(private readonly jwt: JwtService) {}

  sign(organizationId: string, session: Session): string {
    const claims: Omit<SessionTokenClaims, 'iat'> = {
      sub: session.userId,
      sid: session.id,
      conversation_id: session.conversationId,
      organization_id: organizationId,
      exp: session.expiresAt,
    };
    return this.jwt.sign(claims);
  }

  /**
   * @param options.ignoreExpiration accepts an expired token
   * @returns undefined unless one of the keys signed it and it has not expired
   */
  verify(token: string, options: { ignoreExpiration?: boolean } = {}): SessionTokenClaims | undefined {
    try {
      return this.jwt.verify<SessionTokenClaims>(token, options);
    } catch {
      return undefined;
    }
  }
}

/** Of a token that was verified with `ignoreExpiration`. */
export function hasExpired({ exp }: SessionTokenClaims): boolean {
  return exp * 1_000 <= Date.now();
}
