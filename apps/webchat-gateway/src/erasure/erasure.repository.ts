import type { DataSource, EntityManager } from 'typeorm';
import { type Found, isNoNewData, type Subject } from '@cxp/erasure';
import { IN_INDEX_ORDER, inTransaction, numberColumn, pagesById, Statement, textColumn } from '@cxp/storage';
import { subjectIdentifiers } from '../conversations/conversation.repository';

const EVENTS_PER_STEP = 2_000;

/** A page of a dry run and a step hold at most this many. */
const CONVERSATIONS_OF_STEP = 50;

/** A busy conversation is tried again later. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '1s'`;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * `$requestedAt` of the erasure; null: not requested yet. Without it, a person who returns after each session would keep the erasure
 * going. Instants are rounded to milliseconds.
 */
const IS_MEANT = isNoNewData(`$requestedAt + interval '1 millisecond'`);

const CONVERSATIONS = { organizationId: 'text', ids: 'uuid[]' } as const;

const ID = { id: textColumn('id') };

/** Of each identifier as many conversations are read as a step takes, in the order of an index: many may hold one. */
export const FIND = new Statement(
  {
    organizationId: 'text',
    userIds: 'text[]',
    identifiers: 'text[]',
    requestedAt: 'timestamptz | null',
    after: 'uuid',
  },
  ID,
  (list) => `
  SELECT ${list} FROM (
    SELECT id FROM webchat.conversation
    WHERE organization_id = $organizationId AND user_id = ANY ($userIds) AND id > $after AND ${IS_MEANT}
    UNION
    SELECT named.id FROM unnest($identifiers) AS wanted CROSS JOIN LATERAL (
      SELECT conversation_id AS id FROM webchat.conversation_identifier CROSS JOIN LATERAL (
        SELECT created_at FROM webchat.conversation WHERE organization_id = $organizationId AND id = conversation_id OFFSET 0
      ) AS conversation
      WHERE organization_id = $organizationId AND identifier = wanted AND conversation_id > $after AND ${IS_MEANT}
      ORDER BY conversation_id LIMIT ${CONVERSATIONS_OF_STEP}
    ) AS named
  ) AS found ORDER BY found.id LIMIT ${CONVERSATIONS_OF_STEP}`,
);

/** The names of event types in certificates. */
const KINDS: Readonly<Record<string, string>> = {
  message: 'messages',
  activity: 'activities',
  rating: 'ratings',
};

/** Certificates count these. */
export const FOUND_KINDS = ['conversations', ...Object.values(KINDS)];

const COUNT_EVENTS = new Statement(
  CONVERSATIONS,
  { type: textColumn('type'), count: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM webchat.event
    WHERE organization_id = $organizationId AND conversation_id = ANY ($ids) AND type IN ('${Object.keys(KINDS).join("', '")}')
    GROUP BY type`,
);

/** Nothing is appended to a locked conversation. */
const LOCK = new Statement(
  { organizationId: 'text', ids: 'uuid[]', before: 'timestamptz | null' },
  ID,
  (list) => `
  SELECT ${list} FROM webchat.conversation
  WHERE organization_id = $organizationId AND id = ANY ($ids) AND updated_at < coalesce($before, 'infinity')
  ORDER BY conversation.id FOR UPDATE`,
);

/** Events of the locked conversations, by `ctid`, so that PostgreSQL reads no other rows. */
const DELETE_EVENTS = new Statement(
  CONVERSATIONS,
  { type: textColumn('type'), count: numberColumn('count(*)') },
  (list) => `WITH gone AS (
     DELETE FROM webchat.event WHERE organization_id = $organizationId AND ctid = ANY (ARRAY(
       SELECT ctid FROM webchat.event
       WHERE organization_id = $organizationId AND conversation_id = ANY ($ids) LIMIT ${EVENTS_PER_STEP}
     )) RETURNING type
   ) SELECT ${list} FROM gone GROUP BY type`,
);

/** Runs in the step that deletes the conversation: until then the next step finds it by them. */
const DELETE_IDENTIFIERS = new Statement(
  CONVERSATIONS,
  {},
  'DELETE FROM webchat.conversation_identifier WHERE organization_id = $organizationId AND conversation_id = ANY ($ids)',
);

const DELETE = new Statement(
  CONVERSATIONS,
  {},
  'DELETE FROM webchat.conversation WHERE organization_id = $organizationId AND id = ANY ($ids)',
);

/** Conversations that area B never gets need no removal. */
const QUEUE_REMOVAL = new Statement(
  CONVERSATIONS,
  {},
  `INSERT INTO webchat.undelivered (organization_id, conversation_id, is_erased)
   SELECT organization_id, id, true FROM webchat.conversation
   WHERE organization_id = $organizationId AND id = ANY ($ids) AND is_delivered ORDER BY id
   ON CONFLICT (organization_id, conversation_id) DO UPDATE
     SET revision = undelivered.revision + 1, is_erased = true, attempts = 0, next_attempt_at = excluded.next_attempt_at, last_error = NULL`,
);

const FORGET_UNDELIVERED = new Statement(
  CONVERSATIONS,
  {},
  'DELETE FROM webchat.undelivered WHERE organization_id = $organizationId AND conversation_id = ANY ($ids) AND NOT is_erased',
);

export function inStep<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return inTransaction(dataSource, organizationId, [LOCK_TIMEOUT, IN_INDEX_ORDER], work);
}

/**
 * The first conversations after an id; none: of all.
 * @param requestedAt null: all count
 */
export async function findConversations(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  requestedAt: Date | null,
  after: string,
) {
  const identifiers = subjectIdentifiers(subject);
  return FIND.run(manager, {
    organizationId,
    userIds: subject.userIds,
    identifiers,
    requestedAt,
    after: after || BEFORE_ALL,
  });
}

export async function* countConversations(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
): AsyncGenerator<Found> {
  const read = (after: string) => findConversations(manager, organizationId, subject, null, after);
  for await (const found of pagesById(BEFORE_ALL, read)) {
    const events = await COUNT_EVENTS.run(manager, { organizationId, ids: found.map(({ id }) => id) });
    yield { conversations: found.length, ...countsOf(events) };
  }
}

/** @param before limits them to those unchanged since */
export async function lockConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  before?: Date,
): Promise<string[]> {
  return (await LOCK.run(manager, { organizationId, ids, before })).map(({ id }) => id);
}

/**
 * Deletes events of locked conversations, and the conversations when none are left.
 * @param removesFromAreaB whether area B removes them, too, and keeps their keys
 */
export async function deleteConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  removesFromAreaB: boolean,
): Promise<{ readonly found: Found; readonly isComplete: boolean }> {
  const events = await DELETE_EVENTS.run(manager, { organizationId, ids });
  const found = countsOf(events);
  if (events.reduce((sum, { count }) => sum + count, 0) === EVENTS_PER_STEP)
    return { found, isComplete: false };
  // First, because it shows which conversations area B has.
  if (removesFromAreaB) await QUEUE_REMOVAL.count(manager, { organizationId, ids });
  await FORGET_UNDELIVERED.count(manager, { organizationId, ids });
  await DELETE_IDENTIFIERS.count(manager, { organizationId, ids });
  const conversations = await DELETE.count(manager, { organizationId, ids });
  return { found: { conversations, ...found }, isComplete: true };
}

function countsOf(events: readonly { readonly type: string; readonly count: number }[]): Found {
  const counted = events.filter(({ type }) => KINDS[type]);
  return Object.fromEntries(counted.map(({ type, count }) => [KINDS[type], count])) as Found;
}
