import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { ErasureArea } from '@cxp/erasure';
import { type ExpiringData, oldestFirst } from '@cxp/records';
import { LivePublisher } from '../live/live-events';
import { endSessions, forgetPerson } from '../sessions/session.repository';
import {
  countConversations,
  deleteConversations,
  findConversations,
  FOUND_KINDS,
  inStep,
  lockConversations,
  CONVERSATIONS_OF_STEP,
} from './erasure.repository';

const EXPIRED_PER_STEP = 10;

const CONVERSATIONS = { table: 'webchat.conversation', updatedAt: 'updated_at' };

/** Deletes conversations, ends their sessions, and removes them in area B. */
export function webchatErasure(dataSource: DataSource, redis: Redis): ErasureArea {
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    keyTypes: { conversation: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    maxKeys: CONVERSATIONS_OF_STEP,
    transaction: (organizationId, work) => inStep(dataSource, organizationId, work),
    find: findConversations,
    count: countConversations,
    async erase(manager, organizationId, keys) {
      const wanted = keys.map(({ id }) => id);
      const ids = await lockConversations(manager, organizationId, wanted);
      const erased = await deleteConversations(manager, organizationId, ids, true);
      // Last in the transaction: a failed step ends no session, and a step without Redis is tried again.
      await endSessions(redis, organizationId, ids);
      return erased;
    },
    eraseIdentifiers: (organizationId, subject) => forgetPerson(redis, organizationId, subject),
    erased(organizationId, keys) {
      for (const { id } of keys) live.endSockets(organizationId, id);
    },
    lastChange: () => Promise.resolve(null),
  };
}

/** Area B gets no removals: it has a retention of its own. */
export function expiredConversations(dataSource: DataSource, redis: Redis): ExpiringData {
  const live = new LivePublisher(redis);
  return {
    find: oldestFirst(CONVERSATIONS, 'uuid', EXPIRED_PER_STEP),
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
