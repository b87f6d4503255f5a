import type { Redis } from 'ioredis';
import type { Subject } from '@cxp/erasure';
import { END_SESSIONS, ENDED_FOR_SECONDS, FORGET_IDENTIFIER } from './session-scripts';
import { identifierKey, sessionKeys } from './session-keys';
import { subjectIdentifiers } from './user-identifiers';

/** Ends sessions before their time. */
export class EndedSessions {
  constructor(private readonly redis: Redis) {}

  /**
   * Ends all sessions over some conversations: from here on none is opened, refreshed or reused.
   * @param seconds for how long; by default as long as sessions that Redis has lost sight of may live
   */
  async end(
    organizationId: string,
    conversationIds: readonly string[],
    seconds = ENDED_FOR_SECONDS,
  ): Promise<void> {
    await Promise.all(conversationIds.map((id) => this.endOf(sessionKeys(organizationId), id, seconds)));
  }

  /** Takes the identifiers of a person from all sessions; a session that is theirs ends. */
  async forget(organizationId: string, subject: Subject): Promise<void> {
    for (const identifier of subjectIdentifiers(subject)) {
      const userId = identifier.kind === 'user' ? identifier.value : '';
      await FORGET_IDENTIFIER.run(
        this.redis,
        [identifierKey(organizationId, identifier)],
        [sessionKeys(organizationId).session(''), userId],
      );
    }
  }

  private async endOf(
    keys: ReturnType<typeof sessionKeys>,
    conversationId: string,
    seconds: number,
  ): Promise<void> {
    let left: number;
    do {
      left = await END_SESSIONS.run(
        this.redis,
        [keys.sessionsOf(conversationId), keys.ended(conversationId)],
        [keys.session(''), seconds],
      );
    } while (left > 0);
  }
}
