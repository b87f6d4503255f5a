import type { Redis } from 'ioredis';
import type { DataSource, EntityManager } from 'typeorm';
import { type ErasureArea, type ExpiringData, oldestFirst } from '@cxp/erasure';
import { DependencyUnavailableError, inTransaction } from '@cxp/storage';
import { LivePublisher } from '../live/live-events';
import { endSessions, forgetPerson } from '../sessions/session.repository';
import {
  areInDelivery,
  deleteConversations,
  findConversations,
  FOUND_KINDS,
  lockConversations,
} from './erasure.repository';

/** How long a step waits for a conversation that others write to, in seconds. Then it is tried again. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '1s'`;

/** Conversations that one step of retention looks at. */
const EXPIRED_PER_STEP = 10;

const CONVERSATIONS = { table: 'webchat.conversation', createdAt: 'created_at', updatedAt: 'updated_at' };

/**
 * How the data of a person is erased from area A: in both modes their conversations are deleted, and the sessions over them end. With `anonymize`
 * area B keeps its rows, which its own erasure anonymizes.
 * @param keptDays undefined: conversations do not expire
 */
export function webchatErasure(dataSource: DataSource, redis: Redis, keptDays?: number): ErasureArea {
  const live = new LivePublisher(redis);
  return {
    name: 'webchat',
    schema: 'webchat',
    kinds: FOUND_KINDS,
    keyTypes: { conversation: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    rootsPerStep: 20,
    transaction: (organizationId, work) => inStep(dataSource, organizationId, work),
    find: findConversations,
    async erase(manager, organizationId, roots, mode, _isIdentifier, isDryRun) {
      const ids = await lockConversations(
        manager,
        organizationId,
        roots.map(({ id }) => id),
      );
      const isUnderWay =
        mode === 'anonymize' && !isDryRun && (await areInDelivery(manager, organizationId, ids));
      // Area B would store it after its own erasure.
      if (isUnderWay) throw new DependencyUnavailableError('a conversation is being delivered');
      // In the transaction: if Redis is away, the step is tried again as a whole.
      if (!isDryRun) await endSessions(redis, organizationId, ids);
      const { isComplete: _, ...erased } = await deleteConversations(
        manager,
        organizationId,
        ids,
        mode === 'delete',
      );
      return erased;
    },
    eraseIdentifiers: (organizationId, subject) => forgetPerson(redis, organizationId, subject),
    async erased(organizationId, roots) {
      for (const { id } of roots) live.endSockets(organizationId, id);
    },
    lastChange: () => Promise.resolve(null),
    expiring: keptDays === undefined ? undefined : expiringConversations(dataSource, redis, keptDays),
  };
}

/** The conversations that have expired in area A. Nothing is sent to area B, which has a retention of its own. */
export function expiringConversations(dataSource: DataSource, redis: Redis, keptDays: number): ExpiringData {
  const live = new LivePublisher(redis);
  return {
    keptDays,
    find: oldestFirst(CONVERSATIONS, 'uuid', EXPIRED_PER_STEP),
    async remove({ organizationId, ids }, before) {
      // The first step finds what has expired. A conversation that is begun is finished, even if a message comes meanwhile: some of it is gone.
      let begun: readonly string[] | undefined;
      let isComplete = false;
      while (!isComplete) {
        isComplete = await inStep(dataSource, organizationId, async (manager) => {
          const [chosen, condition] = begun ? [begun, undefined] : [ids, before];
          begun = await lockConversations(manager, organizationId, chosen, condition);
          await endSessions(redis, organizationId, begun);
          return (await deleteConversations(manager, organizationId, begun, false)).isComplete;
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
