import type { EntityManager } from 'typeorm';
import { type Erased, isNoNewData, type RecordKey, type Subject } from '@cxp/erasure';
import { booleanColumn, numberColumn, Statement, textColumn } from '@cxp/storage';
import { subjectIdentifiers } from '../sessions/user-identifiers';

/** The events that one step erases at most. */
const ROWS_PER_STEP = 2_000;

/**
 * SQL: conversations of the subject $2 (user ids) and $3 (its identifiers), at most $4. Each part looks up an index, and
 * stops at the limit.
 */
function ofSubject(condition = 'true'): string {
  return `SELECT id FROM (${[
    `webchat.conversation WHERE user_id = ANY ($2::text[])`,
    // OFFSET 0: by an index for each.
    `webchat.conversation_identifier CROSS JOIN LATERAL (
       SELECT id, created_at FROM webchat.conversation WHERE organization_id = $1 AND id = conversation_id OFFSET 0
     ) AS conversation WHERE identifier = ANY ($3::text[])`,
  ]
    .map((part) => `(SELECT id FROM ${part} AND organization_id = $1 AND ${condition} LIMIT $4)`)
    .join(' UNION ')}) AS found LIMIT $4`;
}

/**
 * SQL: $5 is when the erasure was asked for, if it was yet. A person who comes back whenever a session ends would else keep it going. Instants are
 * rounded to milliseconds.
 */
const IS_MEANT = isNoNewData(`$5::timestamptz + interval '1 millisecond'`);

const ID = { id: textColumn('id') };

const FIND = new Statement(ID, (list) => `SELECT ${list} FROM (${ofSubject(IS_MEANT)}) AS found`);

/** What certificates count. */
export const FOUND_KINDS = ['conversations', 'messages', 'activities', 'ratings'];

/** Nothing is added to a conversation whose row is locked. */
const LOCK = new Statement(
  ID,
  (list) => `
  SELECT ${list} FROM webchat.conversation
  WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND updated_at < coalesce($3::timestamptz, 'infinity')
  ORDER BY conversation.id FOR UPDATE`,
);

/** Some of the conversations $2, which are locked. The rows are named by their places, so that PostgreSQL reads no other rows. */
const DELETE_EVENTS = new Statement(
  { type: textColumn('type'), count: numberColumn('count(*)') },
  (list) => `WITH gone AS (
     DELETE FROM webchat.event WHERE organization_id = $1 AND ctid = ANY (ARRAY(
       SELECT ctid FROM webchat.event
       WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[]) LIMIT ${ROWS_PER_STEP}
     )) RETURNING type
   ) SELECT ${list} FROM gone GROUP BY type`,
);

/** In the step that deletes their conversation: until then the next step has to find it by them. */
const DELETE_IDENTIFIERS = new Statement(
  {},
  'DELETE FROM webchat.conversation_identifier WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[])',
);

/** What certificates call the events of a type. */
const KINDS: Readonly<Record<string, string>> = {
  message: 'messages',
  activity: 'activities',
  rating: 'ratings',
};

const DELETE = new Statement(
  {},
  'DELETE FROM webchat.conversation WHERE organization_id = $1 AND id = ANY ($2::uuid[])',
);

/** Conversations that area B was never to have need no removal. */
const QUEUE_REMOVAL = new Statement(
  {},
  `INSERT INTO webchat.undelivered (organization_id, conversation_id, is_erased)
   SELECT organization_id, id, true FROM webchat.conversation
   WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND is_delivered ORDER BY id
   ON CONFLICT (organization_id, conversation_id) DO UPDATE
     SET revision = undelivered.revision + 1, is_erased = true, attempts = 0, next_try_at = excluded.next_try_at, last_error = NULL`,
);

/** Keeps other processes from claiming what waits for delivery. */
const IN_DELIVERY = new Statement(
  { isAny: booleanColumn('coalesce(bool_or(leased_until > now()), false)') },
  (list) => `SELECT ${list} FROM (
     SELECT leased_until FROM webchat.undelivered
     WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[]) ORDER BY conversation_id FOR UPDATE
   ) AS waiting`,
);

/** What waits for delivery is not delivered any more. */
const FORGET_UNDELIVERED = new Statement(
  {},
  'DELETE FROM webchat.undelivered WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[]) AND NOT is_erased',
);

/** What a step has erased of some conversations. */
interface ErasedStep extends Erased {
  /** Whether they are erased as a whole. */
  readonly isComplete: boolean;
}

export async function findConversations(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  limit: number,
  requestedAt?: Date,
): Promise<RecordKey[]> {
  const identifiers = subjectIdentifiers(subject);
  const found = await FIND.run(manager, [organizationId, subject.userIds, identifiers, limit, requestedAt]);
  return found.map(({ id }) => keyOf(id));
}

/** @param before of those that have not changed since; undefined: of all */
export async function lockConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  before?: Date,
): Promise<string[]> {
  return (await LOCK.run(manager, [organizationId, ids, before])).map(({ id }) => id);
}

/** Whether a process is sending one of them to area B. If none is, none begins in this transaction. */
export async function areInDelivery(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<boolean> {
  return (await IN_DELIVERY.first(manager, [organizationId, ids]))!.isAny;
}

/**
 * Deletes some of what belongs to conversations that are locked, and the conversations when nothing is left of it.
 * @param removesFromAreaB whether area B removes them, too, and keeps their keys
 */
export async function deleteConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  removesFromAreaB: boolean,
): Promise<ErasedStep> {
  const found: Record<string, number> = { messages: 0, activities: 0, ratings: 0 };
  let deleted = 0;
  for (const { type, count } of await DELETE_EVENTS.run(manager, [organizationId, ids])) {
    deleted += count;
    const kind = KINDS[type];
    if (kind) found[kind] = count;
  }
  const isComplete = deleted < ROWS_PER_STEP;
  if (!isComplete) return { found, keys: [], isComplete };
  // First: it shows which of the conversations area B has.
  if (removesFromAreaB) await QUEUE_REMOVAL.count(manager, [organizationId, ids]);
  await FORGET_UNDELIVERED.count(manager, [organizationId, ids]);
  await DELETE_IDENTIFIERS.count(manager, [organizationId, ids]);
  const conversations = await DELETE.count(manager, [organizationId, ids]);
  return { found: { conversations, ...found }, keys: ids.map(keyOf), isComplete };
}

function keyOf(id: string): RecordKey {
  return { type: 'conversation', id };
}
