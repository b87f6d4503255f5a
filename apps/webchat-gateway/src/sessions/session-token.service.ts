import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService, type JwtModuleOptions, TokenExpiredError } from '@nestjs/jwt';
import { decodeProtectedHeader } from 'jose';
import type { SigningKey } from '@cxp/service-kit';
import type { Session } from './session.repository';

const ALGORITHM = 'HS256';

/**
 * The first key signs, all verify; `kid` names the key. jsonwebtoken would try to parse a text key as PEM, which takes half the
 * time of a session's creation.
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
      const id = purpose === JwtSecretRequestType.SIGN ? keyid : decodeProtectedHeader(token).kid;
      const key = keys.get(id);
      if (!key) throw new Error('no such signing key');
      return key;
    },
  };
}

export interface SessionOfToken {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  /** The session's expiry in Unix epoch seconds. */
  readonly expiresAt: number;
}

interface SessionTokenClaims {
  readonly sub: string;
  readonly sid: string;
  readonly conversation_id: string;
  readonly organization_id: string;
  readonly exp: number;
}

@Injectable()
export class SessionTokenService {
  constructor(private readonly jwt: JwtService) {}

  sign(organizationId: string, session: Session): string {
    const claims: SessionTokenClaims = {
      sub: session.userId,
      sid: session.id,
      conversation_id: session.conversationId,
      organization_id: organizationId,
      exp: session.expiresAt,
    };
    return this.jwt.sign(claims);
  }

  /** @returns the session, or the reason of the refusal */
  read(token: string): SessionOfToken | 'unknown_token' | 'expired_token' {
    try {
      const claims = this.jwt.verify<SessionTokenClaims>(token);
      return {
        organizationId: claims.organization_id,
        sessionId: claims.sid,
        conversationId: claims.conversation_id,
        userId: claims.sub,
        expiresAt: claims.exp,
      };
    } catch (error) {
      return error instanceof TokenExpiredError ? 'expired_token' : 'unknown_token';
    }
  }
}
