import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { WebchatSettings } from '../settings';
import { CLAIM_SESSION, REFRESH_SESSION, SET_CONVERSATION } from './session-scripts';
import { identifierKey, identifierTextOf, sessionKeys } from './session-keys';
import { identifierText, type UserIdentifier } from './user-identifiers';

/** A credential over a conversation, alive until its expiry. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly conversationId: string;
  /** Unix epoch seconds, by Redis's clock. */
  readonly expiresAt: number;
}

/** A session whose conversation may not be set yet: its creator sets it, or the next create that finds the session so. */
export type ClaimedSession = Omit<Session, 'conversationId'> & {
  readonly conversationId: string | null;
  /** What the conversation may not have of the session's identifiers; undefined: it has them all. */
  readonly unstored?: UnstoredIdentifiers;
};

export interface UnstoredIdentifiers {
  /** Another one after each claim that brings more. */
  readonly mark: string;
  /** Each as `identifierText`. All of the session, but its user id. */
  readonly identifiers: readonly string[];
}

/**
 * Sessions in Redis. A hash per session, a sorted set of session ids per identifier (latest given last); all keys of an
 * organization carry it in braces, so that one script can reach them on a Redis cluster, and all of them expire.
 */
@Injectable()
export class SessionRepository {
  constructor(
    private readonly redis: Redis,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Matches a live session by its identifiers, in their order, or opens a new one with the given ids, in one step: of
   * any number of concurrent calls for one user, one opens and the others match.
   */
  async claim(
    organizationId: string,
    identifiers: readonly UserIdentifier[],
    fresh: { readonly sessionId: string; readonly userId: string },
  ): Promise<ClaimedSession> {
    const userIdSent = identifiers.some(({ kind }) => kind === 'user');
    const keys = sessionKeys(organizationId);
    const others = identifiers.filter(({ kind }) => kind !== 'user');
    const [id, userId, conversationId, expiresAt, mark, known] = await CLAIM_SESSION.run(
      this.redis,
      [
        keys.session(fresh.sessionId),
        identifierKey(organizationId, { kind: 'user', value: fresh.userId }),
        ...others.map((identifier) => identifierKey(organizationId, identifier)),
      ],
      [
        keys.session(''),
        fresh.sessionId,
        fresh.userId,
        this.settings.WEBCHAT_SESSION_TTL_SECONDS,
        userIdSent ? 1 : 0,
        this.settings.WEBCHAT_STRICT_USER_ID ? 1 : 0,
        keys.ended(''),
      ],
    );
    const texts = new Set([
      ...identifiers.map(identifierText),
      ...known.map((key) => identifierTextOf(organizationId, key)),
    ]);
    texts.delete(identifierText({ kind: 'user', value: userId }));
    return {
      id,
      userId,
      conversationId: conversationId || null,
      expiresAt: Number(expiresAt),
      unstored: mark === '' ? undefined : { mark, identifiers: [...texts] },
    };
  }

  /**
   * Attaches a session to a conversation that has its identifiers.
   * @returns whether both are still there to be attached to each other
   */
  async setConversation(
    organizationId: string,
    { id: sessionId, unstored }: ClaimedSession,
    conversationId: string,
  ): Promise<boolean> {
    const keys = sessionKeys(organizationId);
    const set = await SET_CONVERSATION.run(
      this.redis,
      [keys.session(sessionId), keys.sessionsOf(conversationId), keys.ended(conversationId)],
      [conversationId, sessionId, unstored?.mark ?? ''],
    );
    return set === 1;
  }

  /** Moves a live session's expiry one lifetime from now; undefined when there is no such session. */
  async refresh(organizationId: string, sessionId: string): Promise<Session | undefined> {
    const keys = sessionKeys(organizationId);
    const refreshed = await REFRESH_SESSION.run(
      this.redis,
      [keys.session(sessionId)],
      [sessionId, this.settings.WEBCHAT_SESSION_TTL_SECONDS, keys.sessionsOf(''), keys.ended('')],
    );
    if (!refreshed) return undefined;
    const [userId, conversationId, expiresAt] = refreshed;
    return { id: sessionId, userId, conversationId, expiresAt: Number(expiresAt) };
  }

  /** Whether there is such a session now, and its conversation is set. */
  async isLive(organizationId: string, sessionId: string): Promise<boolean> {
    return (await this.redis.hexists(sessionKeys(organizationId).session(sessionId), 'conversationId')) === 1;
  }
}
