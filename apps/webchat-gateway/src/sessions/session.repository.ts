import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Subject } from '@cxp/erasure';
import { WebchatSettings } from '../settings';
import {
  CLAIM_SESSION,
  END_SESSIONS,
  FORGET_IDENTIFIER,
  REFRESH_SESSION,
  sessionKey,
  SET_CONVERSATION,
} from './session-scripts';
import { identifierText, subjectIdentifiers, type UserIdentifier } from './user-identifiers';

/** Longer than any session lives without a refresh, in seconds: a conversation that has ended outlasts the sessions over it. */
const ENDED_FOR_SECONDS = 2 * 86_400;

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
  readonly conversationId?: string;
  /** The mark of identifiers that the conversation may not have; undefined: it has them all. */
  readonly unstored?: string;
  /** The identifiers of the conversation besides its user id: all that are not stored, and all that were sent. */
  readonly identifiers: readonly string[];
};

/** Sessions in Redis. */
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
    const { WEBCHAT_STRICT_USER_ID: isStrict, WEBCHAT_SESSION_TTL_SECONDS: lifetimeSeconds } = this.settings;
    const sent = identifiers.map(identifierText);
    const { sessionId, ...claimed } = await CLAIM_SESSION.run(this.redis, organizationId, {
      ...fresh,
      userIdentifier: identifierText({ kind: 'user', value: fresh.userId }),
      identifiers: sent,
      isOfUser: isStrict && identifiers.some(({ kind }) => kind === 'user'),
      lifetimeSeconds,
    });
    const all = new Set([...sent, ...Object.values(claimed.identifiers)]);
    all.delete(identifierText({ kind: 'user', value: claimed.userId }));
    return { ...claimed, id: sessionId, identifiers: [...all] };
  }

  /**
   * Attaches a session to a conversation that has its identifiers.
   * @returns whether both are still there to be attached to each other
   */
  setConversation(
    organizationId: string,
    { id: sessionId, unstored }: ClaimedSession,
    conversationId: string,
  ): Promise<boolean> {
    return SET_CONVERSATION.run(this.redis, organizationId, { sessionId, conversationId, unstored });
  }

  /** Moves a live session's expiry one lifetime from now; undefined when there is no such session. */
  async refresh(organizationId: string, sessionId: string): Promise<Session | undefined> {
    const { WEBCHAT_SESSION_TTL_SECONDS: lifetimeSeconds } = this.settings;
    const given = { sessionId, lifetimeSeconds };
    const refreshed = await REFRESH_SESSION.run(this.redis, organizationId, given);
    return refreshed ? { id: sessionId, ...refreshed } : undefined;
  }

  /** Whether there is such a session now, and its conversation is set. */
  async isLive(organizationId: string, sessionId: string): Promise<boolean> {
    return (await this.redis.hexists(sessionKey(organizationId, sessionId), 'conversationId')) === 1;
  }
}

/**
 * Ends all sessions over some conversations: from here on none is opened, refreshed or reused.
 * @param seconds for how long; by default as long as sessions that Redis has lost sight of may live
 */
export async function endSessions(
  redis: Redis,
  organizationId: string,
  conversationIds: readonly string[],
  seconds = ENDED_FOR_SECONDS,
): Promise<void> {
  await Promise.all(
    conversationIds.map(async (conversationId) => {
      while ((await END_SESSIONS.run(redis, organizationId, { conversationId, seconds })) > 0);
    }),
  );
}

/** Takes the identifiers of a person from all sessions; a session that is theirs ends. */
export async function forgetPerson(redis: Redis, organizationId: string, subject: Subject): Promise<void> {
  for (const { kind, value } of subjectIdentifiers(subject)) {
    const userId = kind === 'user' ? value : undefined;
    await FORGET_IDENTIFIER.run(redis, organizationId, {
      identifier: identifierText({ kind, value }),
      userId,
    });
  }
}
