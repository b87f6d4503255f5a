import { type ExpiringData, oldestFirst } from '@cxp/records';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { deleteConversations, inStep, lockConversations } from '../erasure/erasure.repository';
import { LivePublisher } from '../live/live-events';
import { endSessions } from '../sessions/session.repository';

const CONVERSATIONS_PER_STEP = 10;

const CONVERSATIONS = { table: 'webchat.conversation', updatedAt: 'updated_at' };

/** Area B gets no removals: it has a retention of its own. */
export function expiredConversations(dataSource: DataSource, redis: Redis): ExpiringData {
  const live = new LivePublisher(redis);
  return {
    find: oldestFirst(CONVERSATIONS, 'uuid', CONVERSATIONS_PER_STEP),
    async remove({ organizationId, ids }, before) {
      // The first step finds what has expired. A conversation is finished once begun, even if a message arrives: a part is
      // gone.
      let begun: readonly string[] | undefined;
      let isComplete = false;
      while (!isComplete) {
        isComplete = await inStep(dataSource, organizationId, async (manager) => {
          const [chosen, condition] = begun ? [begun, undefined] : [ids, before];
          begun = await lockConversations(manager, organizationId, chosen, condition);
          const { left } = await deleteConversations(manager, organizationId, begun, false);
          await endSessions(redis, organizationId, begun);
          return left.length === 0;
        });
      }
      for (const id of begun ?? []) live.endSockets(organizationId, id);
    },
  };
}
