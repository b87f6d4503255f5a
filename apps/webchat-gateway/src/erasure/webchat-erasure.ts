import type { Redis } from 'ioredis';
import type { DataSource, EntityManager } from 'typeorm';
import { type ErasureArea, type ExpiringData, oldestFirst } from '@cxp/erasure';
import { inTransaction } from '@cxp/storage';
import { LivePublisher } from '../live/live-events';
import { endSessions, forgetPerson } from '../sessions/session.repository';
import {
  countConversations,
  deleteConversations,
  eraseConversations,
  findConversations,
  FOUND_KINDS,
  lockConversations,
} from './erasure.repository';

/** A busy conversation is tried again later. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '1s'`;

const EXPIRED_PER_STEP = 10;

const CONVERSATIONS = { table: 'webchat.conversation', createdAt: 'created_at', updatedAt: 'updated_at' };

/**
 * Deletes conversations and ends their sessions.
 * @param keptDays undefined: conversations do not expire
 */
export function webchatErasure(dataSource: DataSource, redis: Redis, keptDays?: number): ErasureArea {
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    keyTypes: { conversation: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    transaction: (organizationId, work) => inStep(dataSource, organizationId, work),
    count: countConversations,
    find: findConversations,
    async erase(manager, organizationId, keys) {
      const erased = await eraseConversations(manager, organizationId, keys);
      // Last in the transaction: a failed step ends no session, and a step without Redis is tried again.
      await endSessions(redis, organizationId, erased.ids);
      return erased;
    },
    eraseIdentifiers: (organizationId, subject) => forgetPerson(redis, organizationId, subject),
    erased(organizationId, keys) {
      for (const { id } of keys) live.endSockets(organizationId, id);
    },
    lastChange: () => Promise.resolve(null),
    expiring: keptDays === undefined ? undefined : expiringConversations(dataSource, redis, keptDays),
  };
}

/** Area B gets no removals: it has a retention of its own. */
export function expiringConversations(dataSource: DataSource, redis: Redis, keptDays: number): ExpiringData {
  const live = new LivePublisher(redis);
  return {
    keptDays,
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

function inStep<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return inTransaction(dataSource, organizationId, [LOCK_TIMEOUT], work);
}
