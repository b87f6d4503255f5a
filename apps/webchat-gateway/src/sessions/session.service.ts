import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ConversationRepository, type WebchatUser } from '../conversations/conversation.repository';
import { InstalledSourceRepository } from '../installed-sources/installed-source.repository';
import { WebchatSettings } from '../settings';
import type { CreateSessionRequest, CreateSessionResponse, RefreshSessionResponse } from './session.dto';
import { SessionRepository, type ClaimedSession, type Session } from './session.repository';
import { SessionTokenService } from './session-token.service';
import { namedUser, userIdentifier, userIdentifiers } from './user-identifiers';

/** Redis may lose a session before its conversation is set. After this many losses the answer is 503. */
const CLAIM_ATTEMPTS = 3;

const INACTIVE_SOURCE = {
  loc: ['body', 'installedSourceId'],
  msg: 'installedSourceId must be an active installed source of the organization',
  type: 'value_error',
};

@Injectable()
export class SessionService {
  constructor(
    private readonly installedSources: InstalledSourceRepository,
    private readonly sessions: SessionRepository,
    private readonly conversations: ConversationRepository,
    private readonly tokens: SessionTokenService,
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
    const user = namedUser({ ...given, id: given?.id ?? undefined });
    const identifiers = userIdentifiers(user);
    const userId = user.id ?? `Webchat-${randomUUID()}`;
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      const fresh = { sessionId: randomUUID(), userId };
      const claimed = await this.sessions.claim(organizationId, identifiers, fresh);
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

  private async attachConversation(
    organizationId: string,
    claimed: ClaimedSession,
    user: Partial<WebchatUser>,
    identifiers: readonly string[],
  ): Promise<Session | undefined> {
    const { id, userId, conversationId: known, identifiersAreStored } = claimed;
    if (known && identifiersAreStored) return { ...claimed, conversationId: known };
    const others = identifiers.filter((identifier) => identifier !== userIdentifier(userId));
    let conversationId = known;
    if (conversationId === undefined) {
      conversationId = await this.conversations.findOrCreate(organizationId, { ...user, id: userId }, others);
    } else {
      await this.conversations.addIdentifiers(organizationId, conversationId, others);
    }
    const expiresAt = await this.sessions.setConversation(organizationId, id, conversationId, others);
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
    return {
      sessionToken: this.tokens.sign(organizationId, session),
      sessionTokenExpiration: session.expiresAt,
    };
  }
}
