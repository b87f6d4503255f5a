import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Session } from './session.repository';

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
