import { Injectable } from '@nestjs/common';
import { SessionTokenService } from '../sessions/session-token.service';
import { CLOSE_REASONS, type CloseReason } from './close-reasons';

/** Whom a socket speaks for. */
export interface SocketSession {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  /** Unix epoch seconds. */
  readonly expiresAt: number;
}

/** Judges session tokens for sockets. */
@Injectable()
export class TokenAdmission {
  constructor(private readonly tokens: SessionTokenService) {}

  /** @returns the session that the token is of, or why it does not open a socket of this session */
  admit(sessionToken: string, sessionId: string): SocketSession | CloseReason {
    const claims = this.tokens.verify(sessionToken, { ignoreExpiration: true });
    if (!claims) return CLOSE_REASONS.notAuthenticated;
    // Also another organization's: session ids are unique everywhere.
    if (claims.sid !== sessionId) return CLOSE_REASONS.otherSession;
    if (claims.exp * 1_000 <= Date.now()) return CLOSE_REASONS.sessionExpired;
    return {
      organizationId: claims.organization_id,
      sessionId,
      conversationId: claims.conversation_id,
      userId: claims.sub,
      expiresAt: claims.exp,
    };
  }
}
