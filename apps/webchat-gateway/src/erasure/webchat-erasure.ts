import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { ErasureArea } from '@cxp/erasure';
import { inTransaction } from '@cxp/storage';
import { LivePublisher } from '../live/live-publisher';
import { EndedSessions } from '../sessions/ended-sessions';
import { deleteConversations, findConversations, FOUND_KINDS, lockConversations } from './erasure.repository';

/** How long a step waits for a conversation that others write to. Then it is tried again. */
export const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '1s'`;

/**
 * How the data of a person is erased from area A: in both modes their conversations are deleted, and the sessions over them end. With `anonymize`
 * area B keeps its rows, which its own erasure anonymizes.
 */
export function webchatErasure(dataSource: DataSource, redis: Redis): ErasureArea {
  const sessions = new EndedSessions(redis);
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    keyTypes: { conversation: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    rootsPerStep: 20,
    transaction: (_, work) => inTransaction(dataSource, [LOCK_TIMEOUT], work),
    find: findConversations,
    async erase(manager, organizationId, roots, mode, _isIdentifier, isDryRun) {
      const ids = await lockConversations(
        manager,
        organizationId,
        roots.map(({ id }) => id),
      );
      // In the transaction: if Redis is away, the step is tried again as a whole.
      if (!isDryRun) await sessions.end(organizationId, ids);
      const { isComplete: _, ...erased } = await deleteConversations(
        manager,
        organizationId,
        ids,
        mode === 'delete',
      );
      return erased;
    },
    async eraseIdentifiers(organizationId, subject) {
      await sessions.forget(organizationId, subject);
    },
    erased(organizationId, roots) {
      for (const { id } of roots) live.endSockets(organizationId, id);
      return Promise.resolve();
    },
    lastChange: () => Promise.resolve(null),
  };
}
