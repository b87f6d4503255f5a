import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { WebchatSettings } from '../settings';
import type { Session } from './session.repository';

/** What a session token says. */
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

/** Signs session tokens with the first of the configured keys; the others verify what was signed before a rotation. */
@Injectable()
export class SessionTokenService {
  constructor(
    private readonly jwt: JwtService,
    private readonly settings: WebchatSettings,
  ) {}

  sign(organizationId: string, session: Session): string {
    const [key] = this.settings.WEBCHAT_SESSION_TOKEN_KEYS;
    const claims: Omit<SessionTokenClaims, 'iat'> = {
      sub: session.userId,
      sid: session.id,
      conversation_id: session.conversationId,
      organization_id: organizationId,
      exp: session.expiresAt,
    };
    return this.jwt.sign(claims, { secret: key!.secret, keyid: key!.id, algorithm: 'HS256' });
  }

  /** @returns undefined unless one of the keys signed it and it has not expired */
  verify(token: string): SessionTokenClaims | undefined {
    const header = this.jwt.decode<{ header: { kid?: string } } | null>(token, { complete: true })?.header;
    const key = this.settings.WEBCHAT_SESSION_TOKEN_KEYS.find(({ id }) => id === header?.kid);
    if (!key) return undefined;
    try {
      return this.jwt.verify<SessionTokenClaims>(token, { secret: key.secret, algorithms: ['HS256'] });
    } catch {
      return undefined;
    }
  }
}
