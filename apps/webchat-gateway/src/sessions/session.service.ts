import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService, TokenExpiredError, type JwtModuleOptions } from '@nestjs/jwt';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import type { SigningKey } from '@cxp/service-kit';
import {
  ConversationRepository,
  namedUser,
  userIdentifier,
  userIdentifiers,
  type NamedUser,
} from '../conversations/conversation.repository';
import { InstalledSourceRepository } from '../installed-sources/installed-source.repository';
import { WebchatSettings } from '../settings';
import type { CreateSessionRequest, CreateSessionResponse, RefreshSessionResponse } from './session.dto';
import { SessionRepository, type ClaimedSession, type Session } from './session.repository';

/** Redis may lose a session before its conversation is set. After this many losses the answer is 503. */
const CLAIM_ATTEMPTS = 3;

const INACTIVE_SOURCE = {
  loc: ['body', 'installedSourceId'],
  msg: 'installedSourceId must be an active installed source of the organization',
  type: 'value_error',
};

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
      const id = purpose === JwtSecretRequestType.SIGN ? keyid : keyIdOf(token as string);
      const key = keys.get(id);
      if (!key) throw new Error('no such signing key');
      return key;
    },
  };
}

const reader = new JwtService();

/** @returns undefined for what is no token */
function keyIdOf(token: string): string | undefined {
  const read = reader.decode<{ readonly header: { readonly kid?: string } } | null>(token, {
    complete: true,
  });
  return read?.header.kid;
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
export class SessionService {
  constructor(
    private readonly installedSources: InstalledSourceRepository,
    private readonly sessions: SessionRepository,
    private readonly conversations: ConversationRepository,
    private readonly jwt: JwtService,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Reuses the user's live session; else opens one on the conversation of `user.id`; else on a new one. Redis decides before
   * PostgreSQL is touched, so that concurrent creates make one conversation. A create that finds a session without a
   * conversation (its creator died or is slower) attaches the same one. Erasures search the identifiers of conversations.
   * @throws ProblemError 422 when the installed source is not an active one of the organization
   */
  async create(
    organizationId: string,
    { installedSourceId, user: given }: CreateSessionRequest,
  ): Promise<CreateSessionResponse> {
    const isActive = await this.installedSources.isActive(organizationId, installedSourceId);
    if (!isActive) rejectAsInvalid(INACTIVE_SOURCE);
    const user = namedUser(given ?? {});
    const identifiers = userIdentifiers(user);
    const { id: _, ...said } = user;
    const userId = user.id ?? `Webchat-${randomUUID()}`;
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      const fresh = { sessionId: randomUUID(), userId };
      const claimed = await this.sessions.claim(organizationId, identifiers, said, fresh);
      const session = await this.attachConversation(organizationId, claimed, user, identifiers);
      if (session) return this.describe(organizationId, session);
    }
    throw new ProblemError({ code: 'dependency_unavailable' });
  }

  /** @throws ProblemError when the organization has no such live session */
  async refresh(organizationId: string, sessionId: string): Promise<RefreshSessionResponse> {
    const session = await this.sessions.refresh(organizationId, sessionId);
    if (!session) throw new ProblemError({ code: 'resource_not_found', model: 'Session', id: sessionId });
    return this.issueToken(organizationId, session);
  }

  /** @returns the session of a token that was signed here, or the reason of the refusal */
  ofToken(token: string): SessionOfToken | 'unknown_token' | 'expired_token' {
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

  private async attachConversation(
    organizationId: string,
    claimed: ClaimedSession,
    user: NamedUser,
    identifiers: readonly string[],
  ): Promise<Session | undefined> {
    const { userId, conversationId: known, isStored } = claimed;
    if (known && isStored) return { ...claimed, conversationId: known };
    const others = identifiers.filter((identifier) => identifier !== userIdentifier(userId));
    const { id: _, ...said } = user;
    if (known) await this.conversations.describeUser(organizationId, known, said, others);
    const conversationId =
      known ?? (await this.conversations.findOrCreate(organizationId, { ...said, id: userId }, others));
    const expiresAt = await this.sessions.setConversation(
      organizationId,
      claimed,
      conversationId,
      said,
      others,
    );
    return expiresAt === null ? undefined : { ...claimed, conversationId, expiresAt };
  }

  private describe(organizationId: string, session: Session): CreateSessionResponse {
    return {
      userId: session.userId,
      sessionId: session.id,
      ...this.issueToken(organizationId, session),
      websocketUrl: `${this.settings.WEBCHAT_WEBSOCKET_URL}/${session.id}`,
      conversationId: session.conversationId,
    };
  }

  private issueToken(organizationId: string, session: Session): RefreshSessionResponse {
    const claims: SessionTokenClaims = {
      sub: session.userId,
      sid: session.id,
      conversation_id: session.conversationId,
      organization_id: organizationId,
      exp: session.expiresAt,
    };
    return { sessionToken: this.jwt.sign(claims), sessionTokenExpiration: session.expiresAt };
  }
}
