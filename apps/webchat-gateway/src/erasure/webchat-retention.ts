import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { ExpiringData } from '@cxp/erasure';
import { booleanColumn, inTransaction, Statement, textColumn } from '@cxp/storage';
import { LivePublisher } from '../live/live-publisher';
import { EndedSessions } from '../sessions/ended-sessions';
import { eraseConversations, lockConversations } from './erasure.repository';
import { LOCK_TIMEOUT } from './webchat-erasure';

/** Conversations that one step looks at. */
const CONVERSATIONS_PER_STEP = 10;

/** The first of an organization that were created before $4, after the one of $2 and $3. An old one may have changed since. */
const FIND = new Statement(
  { id: textColumn('id'), createdAt: textColumn('created_at'), isExpired: booleanColumn('updated_at < $4') },
  (list) => `
  SELECT ${list} FROM webchat.conversation
  WHERE organization_id = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid) AND created_at < $4
  ORDER BY conversation.created_at, conversation.id LIMIT $5`,
);

const NEXT_ORGANIZATION = new Statement(
  { id: textColumn('organization_id') },
  (list) => `
  SELECT ${list} FROM webchat.conversation WHERE organization_id > $1 ORDER BY conversation.organization_id LIMIT 1`,
);

const FIRST = ['-infinity', '00000000-0000-0000-0000-000000000000'] as const;

type Place = readonly [organizationId: string, createdAt: string, id: string];

/** The conversations that area A keeps no longer. Area B is not told: it has a retention of its own. */
export function expiringConversations(dataSource: DataSource, redis: Redis, keptDays: number): ExpiringData {
  const sessions = new EndedSessions(redis);
  const live = new LivePublisher(redis);
  return {
    area: 'webchat',
    keptDays,
    async find(manager, before, after) {
      const place = after === undefined ? ['', ...FIRST] : (JSON.parse(after) as Place);
      const [organizationId = ''] = place;
      const found = await FIND.run(manager, [...place, before, CONVERSATIONS_PER_STEP]);
      const last = found.at(-1);
      if (last) {
        const ids = found.filter(({ isExpired }) => isExpired).map(({ id }) => id);
        return { organizationId, ids, place: JSON.stringify([organizationId, last.createdAt, last.id]) };
      }
      const next = await NEXT_ORGANIZATION.first(manager, [organizationId]);
      return next && { organizationId: next.id, ids: [], place: JSON.stringify([next.id, ...FIRST]) };
    },
    async remove({ organizationId, ids }, before) {
      let isComplete = false;
      while (!isComplete) {
        isComplete = await inTransaction(dataSource, [LOCK_TIMEOUT], async (manager) => {
          const expired = await lockConversations(manager, organizationId, ids, before);
          await sessions.end(organizationId, expired);
          return (await eraseConversations(manager, organizationId, expired, 'delete')).isComplete;
        });
      }
      for (const id of ids) live.endSockets(organizationId, id);
    },
  };
}
