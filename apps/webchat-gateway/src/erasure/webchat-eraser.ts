import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { Eraser } from '@cxp/erasure';
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
} from './erasure.repository';

const EXPIRED_PER_STEP = 10;

const CONVERSATIONS = { table: 'webchat.conversation', updatedAt: 'updated_at' };

/** Deletes conversations, ends their sessions, and removes them in area B. */
export function webchatEraser(dataSource: DataSource, redis: Redis): Eraser {
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    transaction: (organizationId, work) => inStep(dataSource, organizationId, work),
    count: countConversations,
    async erase(manager, { organizationId, subject, requestedAt, position }) {
      const begin = position ?? '';
      const wanted = await findConversations(manager, organizationId, subject, requestedAt, begin);
      // An earlier one may have been given the identifier meanwhile.
      if (wanted.length === 0) return { found: {}, keys: [], next: begin === '' ? null : '' };
      const ids = await lockConversations(
        manager,
        organizationId,
        wanted.map(({ id }) => id),
      );
      const { found, isComplete } = await deleteConversations(manager, organizationId, ids, true);
      // Last in the transaction: a failed step ends no session, and a step without Redis is tried again.
      await endSessions(redis, organizationId, ids);
      return {
        found,
        keys: isComplete ? ids.map((id) => ({ type: 'conversation', id })) : [],
        // Deleted rows are still in the index: a search from the first would read them all.
        next: isComplete ? wanted.at(-1)!.id : begin,
        afterCommit() {
          for (const id of ids) live.endSockets(organizationId, id);
        },
      };
    },
    eraseIdentifiers: (organizationId, subject) => forgetPerson(redis, organizationId, subject),
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
          const { isComplete: isLast } = await deleteConversations(manager, organizationId, begun, false);
          await endSessions(redis, organizationId, begun);
          return isLast;
        });
      }
      for (const id of begun ?? []) live.endSockets(organizationId, id);
    },
  };
}
