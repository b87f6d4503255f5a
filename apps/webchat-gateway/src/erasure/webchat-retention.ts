import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { type ExpiringData, oldestFirst } from '@cxp/erasure';
import { inTransaction } from '@cxp/storage';
import { LivePublisher } from '../live/live-publisher';
import { EndedSessions } from '../sessions/ended-sessions';
import { deleteConversations, lockConversations } from './erasure.repository';
import { LOCK_TIMEOUT } from './webchat-erasure';

/** Conversations that one step looks at. */
const CONVERSATIONS_PER_STEP = 10;

/** Longer than a step takes, in seconds. A conversation that is still there after a step that failed has sessions again by then. */
const STEP_SECONDS = 60;

const CONVERSATIONS = { table: 'webchat.conversation', createdAt: 'created_at', updatedAt: 'updated_at' };

/** The conversations that area A keeps no longer. Area B is not told: it has a retention of its own. */
export function expiringConversations(dataSource: DataSource, redis: Redis, keptDays: number): ExpiringData {
  const sessions = new EndedSessions(redis);
  const live = new LivePublisher(redis);
  return {
    area: 'webchat',
    keptDays,
    find: oldestFirst([CONVERSATIONS], 'uuid', CONVERSATIONS_PER_STEP),
    async remove({ organizationId, ids }, before) {
      // The first step says which have expired. What is begun is finished, even if a message comes meanwhile: some of it is gone.
      let begun: readonly string[] | undefined;
      let isComplete = false;
      while (!isComplete) {
        isComplete = await inTransaction(dataSource, [LOCK_TIMEOUT], async (manager) => {
          const [chosen, condition] = begun ? [begun, undefined] : [ids, before];
          begun = await lockConversations(manager, organizationId, chosen, condition);
          await sessions.end(organizationId, begun, STEP_SECONDS);
          return (await deleteConversations(manager, organizationId, begun, false)).isComplete;
        });
      }
      await sessions.end(organizationId, begun ?? []);
      for (const id of begun ?? []) live.endSockets(organizationId, id);
    },
  };
}
