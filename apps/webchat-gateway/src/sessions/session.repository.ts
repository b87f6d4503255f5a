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
import { subjectIdentifiers } from './user-identifiers';

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
  /** Whether the conversation has all identifiers that were sent. */
  readonly isStored: boolean;
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
    identifiers: readonly string[],
    fresh: { readonly sessionId: string; readonly userId: string },
  ): Promise<ClaimedSession> {
    const { WEBCHAT_STRICT_USER_ID: isStrict, WEBCHAT_SESSION_TTL_SECONDS: lifetimeSeconds } = this.settings;
    const { sessionId, ...claimed } = await CLAIM_SESSION.run(this.redis, organizationId, {
      ...fresh,
      ...{ identifiers, isStrict, lifetimeSeconds },
    });
    return { ...claimed, id: sessionId };
  }

  /**
   * Attaches a session to a conversation that has these identifiers.
   * @returns whether both are still there to be attached to each other
   */
  setConversation(
    organizationId: string,
    sessionId: string,
    conversationId: string,
    identifiers: readonly string[],
  ): Promise<boolean> {
    return SET_CONVERSATION.run(this.redis, organizationId, { sessionId, conversationId, identifiers });
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

  /** Ends all sessions over a conversation. */
  endOf(organizationId: string, conversationId: string): Promise<void> {
    return endSessions(this.redis, organizationId, [conversationId]);
  }
}

/** Ends all sessions over some conversations: none is opened, refreshed or reused while these are erased. */
export async function endSessions(
  redis: Redis,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<void> {
  await Promise.all(
    conversationIds.map(async (conversationId) => {
      while ((await END_SESSIONS.run(redis, organizationId, { conversationId })) > 0);
    }),
  );
}

/** Takes the identifiers of a person from all sessions; a session that is theirs ends. */
export async function forgetPerson(redis: Redis, organizationId: string, subject: Subject): Promise<void> {
  for (const identifier of subjectIdentifiers(subject)) {
    await FORGET_IDENTIFIER.run(redis, organizationId, { identifier });
  }
}
