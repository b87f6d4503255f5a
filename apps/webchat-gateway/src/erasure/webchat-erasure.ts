import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { ErasureArea } from '@cxp/erasure';
import { LivePublisher } from '../live/live-events';
import { endSessions, forgetPerson } from '../sessions/session.repository';
import {
  countConversations,
  deleteConversations,
  findConversations,
  FOUND_KINDS,
  inStep,
  lockConversations,
  MAX_CONVERSATIONS,
} from './erasure.repository';

/** Deletes conversations, ends their sessions, and removes them in area B. */
export function webchatErasure(dataSource: DataSource, redis: Redis): ErasureArea {
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    keyTypes: { conversation: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    maxKeys: MAX_CONVERSATIONS,
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
